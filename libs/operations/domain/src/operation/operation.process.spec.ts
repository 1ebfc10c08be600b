import type { FundsReserved } from '@florin/ledger-domain';
import type { CardPayment, UnloadReserved } from '../card/card.messages';
import type { OperationEvent } from './operation.messages';
import {
  type CommandStep,
  operationTriggers,
  nextSteps,
  type OperationStep,
  type OperationTrigger,
  reactTo,
} from './operation.process';
import { orderIn } from './order-reservation';
import {
  beforeDeadline,
  called,
  completed,
  deadline,
  failed,
  issueOrder,
  issuerAccepted,
  noted,
  operationDeclined,
  operationId,
  eventsLeadingTo,
  queued,
  resolved,
  sentToReview,
  serviceOrder,
  stateAfter,
  orphanFound,
  topupOrder,
  unknown,
  unloadOrder,
} from './testing/sample-operation';

const accountId = 'acme-sandbox';
const reservation = { accountId, reservationId: operationId };

const inOperations = (key: string, command: CommandStep['command']): CommandStep => {
  return { context: 'operations', key, command };
};
const capture: CommandStep = {
  context: 'ledger',
  key: accountId,
  command: { type: 'CaptureReservation', data: reservation },
  tolerates: ['reservation_unknown'],
};
const release: CommandStep = {
  context: 'ledger',
  key: accountId,
  command: { type: 'ReleaseReservation', data: reservation },
  tolerates: ['reservation_unknown'],
};
const releaseOrphaned: CommandStep = { ...release, tolerates: ['reservation_unknown', 'reservation_captured'] };
const complete = inOperations(operationId, { type: 'CompleteOperation', data: { operationId } });
const fail = inOperations(operationId, { type: 'FailOperation', data: { operationId } });
const abandon = inOperations(operationId, { type: 'AbandonIssuerCall', data: { operationId, now: deadline } });
const issueCard = inOperations(accountId, {
  type: 'IssueCard',
  data: {
    cardId: 'card',
    companyId: 'acme',
    environment: 'sandbox',
    accountId,
    operationId,
    holderId: 'holder',
    productId: 'virtual',
    name: 'Travel',
    last4: '4242',
    cardReference: 'C-1',
    amount: '100.00',
    createdAt: deadline,
  },
});
const topUpCard = inOperations(accountId, {
  type: 'TopUpCard',
  data: { cardId: 'card', operationId, amount: '100.00' },
});

const cancelTopup = inOperations(accountId, { type: 'CancelTopup', data: { cardId: 'card', operationId } });
const captureUnload: CommandStep = {
  ...inOperations(accountId, { type: 'CaptureUnload', data: { cardId: 'card', operationId } }),
  tolerates: ['unload_unknown'],
};
const releaseUnload: CommandStep = {
  ...inOperations(accountId, { type: 'ReleaseUnload', data: { cardId: 'card', operationId } }),
  tolerates: ['unload_unknown'],
};
const creditRefund: CommandStep = {
  context: 'ledger',
  key: accountId,
  command: {
    type: 'CreditRefund',
    data: {
      ...{ accountId, refundId: operationId, reference: operationId, cardId: 'card', unloadNumber: 7 },
      ...{ amount: '100.00', description: 'Card unload' },
    },
  },
};

describe('nextSteps', () => {
  it.each<[string, readonly OperationEvent[], readonly OperationStep[]]>([
    ['unknown', [], []],
    ['queued', eventsLeadingTo.queued, ['call-issuer']],
    ['called, and its deadline has passed', eventsLeadingTo.calling, [abandon]],
    ['accepted, an issue', eventsLeadingTo.accepted, [issueCard, capture, complete]],
    ['accepted, a topup', [queued(topupOrder), called, issuerAccepted], [topUpCard, capture, complete]],
    ['accepted, a service', [queued(serviceOrder), called, issuerAccepted], [capture, complete]],
    ['accepted, an unload', [queued(unloadOrder), called, issuerAccepted], [captureUnload, creditRefund, complete]],
    ['declined', eventsLeadingTo.declined, [release, fail]],
    ['declined, a topup', [queued(topupOrder), called, operationDeclined], [cancelTopup, release, fail]],
    ['declined, an unload', [queued(unloadOrder), called, operationDeclined], [releaseUnload, fail]],
    ['in review, an unload', [queued(unloadOrder), called, sentToReview], []],
    [
      'failed with an orphaned reservation on the card',
      [queued(unloadOrder), called, operationDeclined, failed, orphanFound],
      [{ ...releaseUnload, tolerates: ['unload_unknown', 'unload_captured'] }],
    ],
    ['declined without a call', [queued(), operationDeclined], [release, fail]],
    ['in review', eventsLeadingTo.review, []],
    ['in review with a late response', [...eventsLeadingTo.review, noted('n1', unknown)], []],
    ['resolved as completed', [...eventsLeadingTo.review, resolved('completed')], [issueCard, capture, complete]],
    ['resolved as failed', [...eventsLeadingTo.review, resolved('failed')], [release, fail]],
    ['completed', eventsLeadingTo.completed, []],
    ['failed', eventsLeadingTo.failed, []],
    ['completed with an orphaned reservation', [...eventsLeadingTo.completed, orphanFound], [releaseOrphaned]],
    ['failed with an orphaned reservation', [...eventsLeadingTo.failed, orphanFound], [releaseOrphaned]],
  ])('for an operation that is %s', (_, past, steps) => {
    expect(nextSteps(stateAfter(...past), new Date(deadline))).toEqual(steps);
  });

  it('is empty until the deadline of the issuer call', () => {
    expect(nextSteps(stateAfter(...eventsLeadingTo.calling), new Date(beforeDeadline))).toEqual([]);
  });

  it('issues a card that the issuer activates later as pending', () => {
    const pending = { ...issuerAccepted, data: { ...issuerAccepted.data, cardStatus: 'pending' } } as OperationEvent;
    const [step] = nextSteps(stateAfter(queued(issueOrder), called, pending), new Date(deadline));
    expect(step).toMatchObject({ command: { type: 'IssueCard', data: { status: 'pending' } } });
  });

  it('uses an empty name for a card without one', () => {
    const [step] = nextSteps(
      stateAfter(queued({ ...issueOrder, name: undefined }), called, issuerAccepted),
      new Date(deadline),
    );
    expect(step).toMatchObject({ command: { type: 'IssueCard', data: { name: '' } } });
  });

  it.each<[string, OperationEvent, OperationEvent]>([
    ['a topup without a card', queued({ ...topupOrder, cardId: undefined }), issuerAccepted],
    ['an unload without a card', queued({ ...unloadOrder, cardId: undefined }), issuerAccepted],
    ['an unload without a number', queued({ ...unloadOrder, unloadNumber: undefined }), issuerAccepted],
    ['an issue without a holder', queued({ ...issueOrder, holderId: undefined }), issuerAccepted],
    ['an issue without digits', queued(), { type: 'IssuerAccepted', data: { operationId } }],
  ])('throws on %s', (_, order, yes) => {
    expect(() => nextSteps(stateAfter(order, called, yes), new Date(deadline))).toThrow(/Invariant/);
  });
});

describe('reactTo', () => {
  const reserved = (order: FundsReserved['data']['order']): FundsReserved => {
    const reservation = {
      reservationId: operationId,
      reference: operationId,
      amount: '103.20',
      description: 'Card issue',
    };
    const after = { available: '0.00', held: '103.20' };
    return { type: 'FundsReserved', data: { ...reservation, fingerprint: 'f1', order, after } };
  };
  const queue = inOperations(operationId, { type: 'QueueOperation', data: { operationId, order: issueOrder } });
  const unloadReserved: UnloadReserved = {
    type: 'UnloadReserved',
    data: {
      ...{
        cardId: 'card',
        companyId: 'acme',
        environment: 'sandbox',
        operationId,
        amount: '100.00',
        order: unloadOrder,
      },
      after: { balance: '100.00', available: '0.00' },
    },
  };
  const queueUnload = { type: 'QueueOperation', data: { operationId, order: unloadOrder } } as const;
  const advance: CommandStep = {
    ...inOperations(operationId, { type: 'AdvanceOperation', data: { operationId } }),
    retriedElsewhere: true,
  };
  const payment = { transactionId: 't1', amount: '5.00' } as CardPayment;
  const claim = { transactionId: 't1', cardId: 'card', accountId, payment, fingerprint: 'f2' };
  const report: CommandStep = {
    ...inOperations(accountId, { type: 'ReportPayment', data: { cardId: 'card', accountId, payment } }),
    tolerates: ['not_found', 'card_not_active', 'payment_mismatch', 'payment_settled'],
  };

  it.each<[string, OperationTrigger, readonly CommandStep[]]>([
    ['FundsReserved for an operation', reserved({ ...issueOrder }), [queue]],
    ['UnloadReserved', unloadReserved, [{ ...queue, command: queueUnload }]],
    ['FundsReserved without an order', reserved(undefined), []],
    ['FundsReserved with other content', reserved({ invoiceId: operationId }), []],
    ['FundsReserved with the order of another operation', reserved({ ...issueOrder, operationId: 'other' }), []],
    ['IssuerAccepted', issuerAccepted as OperationTrigger, [advance]],
    ['OperationDeclined', operationDeclined as OperationTrigger, [advance]],
    ['ReviewResolved', resolved('failed') as OperationTrigger, [{ ...advance, keepsActor: true }]],
    ['StrayHoldFound', orphanFound as OperationTrigger, [advance]],
    ['TransactionClaimed', { type: 'TransactionClaimed', data: claim }, [report]],
  ])('%s', (_, event, steps) => {
    expect(operationTriggers).toContain(event.type);
    expect(reactTo(event)).toEqual(steps);
  });

  it.each([called, sentToReview, noted('n1', unknown), completed, failed])('$type triggers nothing', ({ type }) => {
    expect(operationTriggers).not.toContain(type);
  });

  it('throws on other event types', () => {
    expect(operationTriggers).not.toContain('FundsDeposited');
    expect(operationTriggers).not.toContain('toString');
  });
});

it.each([null, 'text', 1, [], {}, { operationId: 'other' }])('does not parse %j as an order', (order) => {
  expect(orderIn({ reservationId: operationId, order })).toBeUndefined();
});
