import { specFor } from '@florin/event-sourcing/testing';
import { operationAggregate } from './operation.decider';
import { type FirstStep, type IssuerResponse, type OperationCommand, type OperationEvent } from './operation.messages';
import type { OperationPhase } from './operation.state';
import { sandboxLast4 } from './sandbox-last4';
import {
  accepted,
  beforeDeadline,
  called,
  completed,
  deadline,
  declined,
  failed,
  failure,
  issueOrder,
  issuerAccepted,
  noted,
  operationDeclined,
  operationId,
  eventsLeadingTo,
  queued,
  sentToReview,
  serviceOrder,
  orphanFound,
  orphanedOrder,
  topupOrder,
  unknown,
} from './testing/sample-operation';

const { given } = specFor(operationAggregate);

const queue = (order = issueOrder, firstStep?: FirstStep): OperationCommand => {
  return { type: 'QueueOperation', data: { operationId, order, firstStep } };
};
const startCall = (callId = 'call-1'): OperationCommand => {
  return { type: 'StartIssuerCall', data: { operationId, callId, deadline } };
};
const declineUncalled: OperationCommand = { type: 'DeclineUncalled', data: { operationId, failure } };
const respond = (said: IssuerResponse, callId = 'call-1'): OperationCommand => {
  const respondedAt = '2030-01-01T01:00:00.000Z';
  return { type: 'RecordIssuerResponse', data: { operationId, callId, response: said, respondedAt } };
};
const abandon = (now: string): OperationCommand => ({ type: 'AbandonIssuerCall', data: { operationId, now } });
const complete: OperationCommand = { type: 'CompleteOperation', data: { operationId } };
const fail: OperationCommand = { type: 'FailOperation', data: { operationId } };

const from = (phase: OperationPhase) => given(...eventsLeadingTo[phase]);

describe('QueueOperation', () => {
  it('stores the order', () => from('none').when(queue()).then(queued()));

  const firstSteps: readonly [string, FirstStep, OperationEvent][] = [
    ['the intent to call', { call: { callId: 'call-1', deadline } }, called],
    ['the reason not to call', { failure }, operationDeclined],
  ];

  it.each(firstSteps)('stores %s with it', (_, firstStep, event) =>
    from('none').when(queue(issueOrder, firstStep)).then(queued(), event),
  );

  it.each(firstSteps)('stores %s only for a new operation', (_, firstStep) => {
    const phases: readonly OperationPhase[] = [
      'queued',
      'calling',
      'accepted',
      'declined',
      'review',
      'completed',
      'failed',
    ];
    for (const phase of phases) from(phase).when(queue(issueOrder, firstStep)).then();
  });

  it.each<OperationPhase>(['queued', 'calling', 'accepted', 'declined', 'review', 'completed', 'failed'])(
    'refuses an order whose funds are reserved in another stream while %s',
    (phase) => {
      const other = { ...issueOrder, type: 'unload', createdAt: '2030-01-01T00:00:00.000Z' } as const;
      from(phase).when(queue(other)).thenRefused('idempotency_conflict');
    },
  );

  it.each<OperationPhase>(['queued', 'calling', 'accepted', 'declined', 'review'])(
    'is idempotent while %s and refuses different data',
    (phase) => {
      from(phase).when(queue()).then();
      from(phase)
        .when(queue({ ...issueOrder, fingerprint: 'other' }))
        .thenRefused('idempotency_conflict');
    },
  );

  it.each<OperationPhase>(['completed', 'failed'])('reports every newer reservation as orphaned once %s', (phase) => {
    from(phase).when(queue(orphanedOrder)).then(orphanFound);
    from(phase)
      .when(queue({ ...orphanedOrder, fingerprint: 'other' }))
      .then(orphanFound);
    const later = { ...orphanedOrder, createdAt: '2030-01-03T00:00:00.000Z' };
    const another: OperationEvent = { type: 'StrayHoldFound', data: { operationId, createdAt: later.createdAt } };
    given(...eventsLeadingTo[phase], orphanFound)
      .when(queue(later))
      .then(another);
    given(...eventsLeadingTo[phase], orphanFound, another)
      .when(queue(orphanedOrder))
      .then();
  });

  it.each<OperationPhase>(['completed', 'failed'])('treats its own reservation as a repeat once %s', (phase) => {
    from(phase).when(queue()).then();
    given(...eventsLeadingTo[phase], { type: 'StrayHoldFound', data: { operationId } })
      .when(queue())
      .then();
  });

  it('throws on the order of another operation', () => {
    from('none')
      .when(queue({ ...issueOrder, operationId: 'other' }))
      .thenThrows(/Invariant/);
  });
});

describe('StartIssuerCall', () => {
  it('stores the intent to call', () => from('queued').when(startCall()).then(called));

  it.each<OperationPhase>(['calling', 'accepted', 'declined', 'review', 'completed', 'failed'])(
    'allows no other call once %s',
    (phase) => from(phase).when(startCall('call-2')).then(),
  );

  it('allows no call after a decline without a call', () =>
    given(queued(), operationDeclined).when(startCall()).then());
});

describe('DeclineUncalled', () => {
  it('declines an operation that was not sent to the issuer', () =>
    from('queued').when(declineUncalled).then(operationDeclined));

  it.each<OperationPhase>(['declined', 'failed'])('does nothing once %s', (phase) =>
    from(phase).when(declineUncalled).then(),
  );

  it.each<OperationPhase>(['calling', 'accepted', 'review', 'completed'])('is refused once %s', (phase) =>
    from(phase).when(declineUncalled).thenRefused('wrong_phase'),
  );
});

describe('RecordIssuerResponse', () => {
  it('accepts the operation on a definite acceptance', () =>
    from('calling').when(respond(accepted)).then(issuerAccepted));
  it('declines the operation on a definite decline', () =>
    from('calling').when(respond(declined)).then(operationDeclined));
  it('sends any other response to review', () => from('calling').when(respond(unknown)).then(sentToReview));

  it('stores only the details that apply to the operation type', () => {
    for (const order of [topupOrder, serviceOrder]) {
      given(queued(order), called)
        .when(respond(accepted))
        .then({ type: 'IssuerAccepted', data: { operationId, receipt: 'R-1', cardReference: 'C-1' } });
    }
  });

  it('generates the last digits of a sandbox card', () => {
    const data = { operationId, receipt: 'R-1', last4: sandboxLast4(operationId), cardReference: 'C-1' };
    from('calling')
      .when(respond({ ...accepted, last4: undefined }))
      .then({ type: 'IssuerAccepted', data });
  });

  it('sends a live card without last digits to review', () => {
    const silent = { outcome: 'accepted', receipt: 'R-1', cardReference: 'C-1' } as const;
    const reason = 'The issuer accepted without the last four digits of the card';
    given(queued({ ...issueOrder, environment: 'live' }), called)
      .when(respond(silent))
      .then({ type: 'OperationSentToReview', data: { operationId, reason } }, noted('call-1', silent));
  });

  it('rejects the response to a call that is not the recorded one', () => {
    from('calling').when(respond(accepted, 'call-2')).thenRefused('wrong_phase');
    from('queued').when(respond(accepted)).thenRefused('wrong_phase');
  });

  it.each([accepted, declined])('only records $outcome for the operator once in review', (said) => {
    from('review').when(respond(said)).then(noted('call-1', said));
    from('review')
      .when(respond(said, 'call-2'))
      .then(noted('call-2', said, false));
  });

  it('does not record an unknown outcome once in review', () => from('review').when(respond(unknown)).then());

  it.each<OperationPhase>(['accepted', 'declined', 'completed', 'failed'])('changes nothing once %s', (phase) => {
    for (const said of [accepted, declined, unknown]) from(phase).when(respond(said)).then();
  });
});

describe('AbandonIssuerCall', () => {
  it('sends the operation to review after the deadline', () => {
    const reason = `No issuer response was recorded before the deadline, ${deadline}`;
    from('calling').when(abandon(deadline)).then({ type: 'OperationSentToReview', data: { operationId, reason } });
  });

  it('is refused before the deadline', () => from('calling').when(abandon(beforeDeadline)).thenRefused('wrong_phase'));
  it('is refused without a call', () => from('queued').when(abandon(deadline)).thenRefused('wrong_phase'));

  it.each<OperationPhase>(['accepted', 'declined', 'review', 'completed', 'failed'])('does nothing once %s', (phase) =>
    from(phase).when(abandon(deadline)).then(),
  );
});

describe('CompleteOperation', () => {
  it('stores the card and the receipt', () => from('accepted').when(complete).then(completed));

  it('stores only the receipt of a service, and no receipt if there is none', () => {
    given(queued(serviceOrder), called, issuerAccepted)
      .when(complete)
      .then({ type: 'OperationCompleted', data: { operationId, result: { receipt: 'R-1' } } });
    given(queued(topupOrder), called, { type: 'IssuerAccepted', data: { operationId } })
      .when(complete)
      .then({ type: 'OperationCompleted', data: { operationId, result: { cardId: 'card' } } });
  });

  it.each<OperationPhase>(['queued', 'calling', 'declined', 'review', 'failed'])('is refused while %s', (phase) =>
    from(phase).when(complete).thenRefused('wrong_phase'),
  );
});

describe('FailOperation', () => {
  it('stores the failure', () => from('declined').when(fail).then(failed));

  it.each<OperationPhase>(['queued', 'calling', 'accepted', 'review', 'completed'])('is refused while %s', (phase) =>
    from(phase).when(fail).thenRefused('wrong_phase'),
  );
});

it.each([startCall(), declineUncalled, respond(accepted), abandon(deadline), complete, fail])(
  '$type needs an operation',
  (command) => from('none').when(command).thenRefused('operation_unknown'),
);
