import type { AddressEvent } from '../address/address.messages';
import { claimed, depositOf, lost, matched, unmatched } from '../address/testing/sample-address';
import type { InvoiceEvent } from './invoice.messages';
import { type CommandStep, type InvoiceTrigger, invoiceTriggers, nextStep, reactTo } from './invoice.process';
import type { InvoicePhase } from './invoice.state';
import {
  accountId,
  canceled,
  canceledAt,
  completed,
  expired,
  failed,
  issued,
  late,
  leftOver,
  opened,
  paid,
  eventsLeadingTo,
  resolved,
  settlement,
  stateAfter,
} from './testing/sample-invoice';

const ids = { accountId, invoiceId: 'i1' };
const stepOf = (...events: readonly InvoiceEvent[]) => nextStep(stateAfter(...events).invoices.get('i1'));

describe('nextStep', () => {
  it('allocates a pay address', () => expect(stepOf(...eventsLeadingTo.creating)).toBe('allocate-address'));

  it.each<InvoicePhase>(['pending', 'completed', 'expired', 'failed', 'review'])(
    'is undefined while the invoice is %s',
    (phase) => {
      expect(stepOf(...eventsLeadingTo[phase])).toBeUndefined();
    },
  );

  it('is undefined for an unknown invoice', () => expect(nextStep(undefined)).toBeUndefined());

  it.each<[string, readonly InvoiceEvent[], number]>([
    ['paid', eventsLeadingTo.paid, 0],
    ['resolved as completed', [...eventsLeadingTo.review, resolved('completed')], 1],
  ])('credits an invoice that is %s with the same command each time, then completes it', (_, past, reviews) => {
    const step = stepOf(...past);
    if (typeof step !== 'object') throw new Error('there is no credit');
    const { fingerprint, ...deposit } = step.credit.data;
    expect(step.credit.type).toBe('DepositFunds');
    expect(deposit).toEqual({
      accountId,
      depositId: 'i1',
      reference: 'i1',
      amount: '100.00',
      fee: '1.50',
      description: 'Invoice payment',
    });
    expect(fingerprint).toBe('invoice i1: 100.00 less 1.50');
    expect(step.then(undefined)).toEqual({ type: 'CompleteInvoice', data: ids });
    expect(step.then({ refused: 'account_limit_exceeded', message: 'Too much' })).toEqual({
      type: 'ReviewInvoice',
      data: { ...ids, reason: 'The ledger did not take the credit: Too much', reviews },
    });
  });
});

describe('reactTo', () => {
  const onAccount = (command: CommandStep['command']): CommandStep => {
    return { context: 'invoicing', key: accountId, command };
  };
  const advance: CommandStep = {
    ...onAccount({ type: 'AdvanceInvoice', data: ids }),
    retriedElsewhere: true,
  };
  const address = 'TReasury1';
  const resolution = { address, depositId: 'd1', note: 'Checked', requestId: 'q1' };
  const depositResolved = (outcome: 'completed' | 'failed', whose: object): AddressEvent => {
    return {
      type: 'DepositResolved',
      data: { ...resolution, outcome, ...whose, resolvedAt: '2030-01-02T00:00:00.000Z' },
    };
  };

  it.each<[string, InvoiceEvent | AddressEvent, readonly CommandStep[]]>([
    ['InvoiceOpened', opened, [advance]],
    ['InvoicePaid', paid, [advance]],
    ['InvoiceResolved as completed', resolved('completed'), [{ ...advance, keepsActor: true }]],
    ['InvoiceResolved as failed', resolved('failed'), []],
    [
      'InvoiceCanceled',
      canceled,
      [
        {
          context: 'invoicing',
          key: address,
          command: { type: 'ShortenClaim', data: { address, invoiceId: 'i1', expiresAt: canceledAt } },
        },
      ],
    ],
    [
      'InvoiceCanceled without an address',
      { type: 'InvoiceCanceled', data: { ...ids, requestId: 'c1', expiresAt: canceledAt } },
      [],
    ],
    [
      'PayAmountClaimed',
      claimed(),
      [onAccount({ type: 'IssueInvoice', data: { ...ids, address, payAmount: '100.003127' } })],
    ],
    [
      'DepositMatched',
      matched({}, true),
      [onAccount({ type: 'RecordPayment', data: { ...ids, address, depositId: 'd1', late: true, settlement } })],
    ],
    ['ClaimLost', lost, [onAccount({ type: 'ExpireInvoice', data: { ...ids, address } })]],
    [
      'PaymentLeftOver',
      leftOver('d2', 'TReasury2', 'q1'),
      [
        {
          context: 'invoicing',
          key: 'TReasury2',
          command: {
            type: 'ReturnDeposit',
            data: { address: 'TReasury2', depositId: 'd2', invoiceId: 'i1', requestId: 'q1' },
          },
        },
      ],
    ],
    [
      'DepositResolved for an invoice',
      depositResolved('completed', { ...ids, settlement }),
      [{ ...onAccount({ type: 'AttributeDeposit', data: { ...ids, ...resolution, settlement } }), keepsActor: true }],
    ],
    ['DepositResolved without an invoice', depositResolved('failed', {}), []],
  ])('%s', (_, event, steps) => {
    expect(invoiceTriggers).toContain(event.type);
    expect(reactTo(event as InvoiceTrigger)).toEqual(steps);
  });

  it.each([
    issued,
    completed,
    expired,
    failed('Full'),
    late,
    unmatched(depositOf(), { reason: 'amount_unknown', forReview: true }),
    { type: 'AmountsFreed' },
  ])('$type is no trigger', ({ type }) => expect(invoiceTriggers).not.toContain(type));
});
