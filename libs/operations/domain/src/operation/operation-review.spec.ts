import { decidedByOne } from '@florin/kernel/testing';
import { specFor } from '@florin/event-sourcing/testing';
import { operationAggregate } from './operation.decider';
import { maxLateResponses } from './operation.decider';
import {
  type IssuerResponse,
  type OperationCommand,
  type OperationEvent,
  type ResolveReview,
  type ReviewOutcome,
} from './operation.messages';
import type { OperationPhase } from './operation.state';
import { sandboxLast4 } from './sandbox-last4';
import {
  accepted,
  called,
  completed,
  declined,
  issueOrder,
  noted,
  operationId,
  eventsLeadingTo,
  queued,
  resolved,
  sentToReview,
  serviceOrder,
  topupOrder,
  unknown,
} from './testing/sample-operation';

const { given } = specFor(operationAggregate);

const from = (phase: OperationPhase) => given(...eventsLeadingTo[phase]);

describe('NoteLateResponse', () => {
  const note = (response: IssuerResponse, about = {}): OperationCommand => {
    const notedAt = '2030-01-01T01:00:00.000Z';
    const data = { operationId, noteId: 'n1', companyId: 'acme', amount: '100.00', response, notedAt, ...about };
    return { type: 'NoteLateResponse', data };
  };

  it.each<OperationPhase>(['queued', 'calling', 'review'])('records an acceptance and a decline while %s', (phase) => {
    from(phase).when(note(accepted)).then(noted('n1', accepted));
    from(phase).when(note(declined)).then(noted('n1', declined));
    from(phase).when(note(unknown)).then();
  });

  it.each<[OperationPhase, IssuerResponse, IssuerResponse]>([
    ['accepted', accepted, declined],
    ['completed', accepted, declined],
    ['declined', declined, accepted],
    ['failed', declined, accepted],
  ])('records only a contradicting response once %s', (phase, confirming, contrary) => {
    from(phase).when(note(confirming)).then();
    from(phase).when(note(unknown)).then();
    from(phase).when(note(contrary)).then(noted('n1', contrary));
  });

  it.each([{ companyId: 'ida' }, { amount: '100.01' }])('records a mismatch of %o for every outcome', (about) => {
    from('review')
      .when(note(accepted, about))
      .then(noted('n1', accepted, false));
    from('completed')
      .when(note(accepted, about))
      .then(noted('n1', accepted, false));
  });

  it('limits the number of recorded responses', () => {
    const many = Array.from({ length: maxLateResponses - 1 }, (_, index) => noted(`m${index}`, declined));
    given(...eventsLeadingTo.review, ...many)
      .when(note(accepted))
      .then(noted('n1', accepted));
    given(...eventsLeadingTo.review, ...many, noted('last', declined))
      .when(note(accepted))
      .then();
  });

  it('refuses an unknown operation', () => from('none').when(note(accepted)).thenRefused('operation_unknown'));
});

describe('ResolveReview', () => {
  const resolve = (outcome: ReviewOutcome, details = {}): ResolveReview => {
    return {
      type: 'ResolveReview',
      data: { operationId, outcome, note: 'Asked the issuer', ...decidedByOne, ...details },
    };
  };
  const resolvedWith = (details: object): OperationEvent => {
    return {
      type: 'ReviewResolved',
      data: { operationId, outcome: 'completed', note: 'Asked the issuer', ...details, ...decidedByOne },
    };
  };
  const live = [queued({ ...issueOrder, environment: 'live' }), called, sentToReview] as const;
  const details = { last4: '1111', receipt: 'R-2', cardReference: 'C-2' };
  const heard = { last4: '4242', receipt: 'R-1', cardReference: 'C-1' };

  const limit = { fourEyesAmount: issueOrder.total };
  const confirmedBy = { kind: 'operator', id: 'bob' } as const;

  it('takes two operators to complete from the four-eyes amount on', () => {
    given(...live)
      .when(resolve('completed', { ...details, ...limit }))
      .thenRefused('not_four_eyes');
    given(...live)
      .when(resolve('completed', { ...details, ...limit, confirmedBy: decidedByOne.proposedBy }))
      .thenRefused('not_four_eyes');
    const decision = { ...decidedByOne, ...limit, confirmedBy, approvalId: 'a1' };
    const data = { operationId, outcome: 'completed', note: 'Asked the issuer', ...details, ...decision } as const;
    given(...live)
      .when(resolve('completed', { ...details, ...decision }))
      .then({ type: 'ReviewResolved', data });
  });

  it('takes one operator to fail', () => {
    const data = { operationId, outcome: 'failed', note: 'Asked the issuer', ...decidedByOne, ...limit } as const;
    from('review').when(resolve('failed', limit)).then({ type: 'ReviewResolved', data });
  });

  it('is refused if it names no operator, as in a command of an early release', () => {
    const none = { fourEyesAmount: undefined, proposedBy: undefined };
    given(...live)
      .when(resolve('completed', { ...details, ...none }))
      .thenRefused('not_four_eyes');
  });

  it('fails the operation without details', () => {
    from('review').when(resolve('failed', details)).then(resolved('failed'));
  });

  it("completes an issue with the operator's details", () => {
    given(...live)
      .when(resolve('completed', details))
      .then(resolvedWith(details));
  });

  it("prefers the operator's details to the newest late response, and that one to older ones", () => {
    const older = noted('n0', { ...accepted, last4: '9999' });
    given(...live, older, noted('n1', accepted))
      .when(resolve('completed'))
      .then(resolvedWith(heard));
    given(...live, noted('n1', accepted))
      .when(resolve('completed', { last4: '1111' }))
      .then(resolvedWith({ ...heard, last4: '1111' }));
  });

  it('requires the last digits of a live card', () => {
    for (const late of [[], [noted('n1', accepted, false)], [noted('n1', declined)]]) {
      given(...live, ...late)
        .when(resolve('completed'))
        .thenRefused('card_details_missing');
    }
  });

  it('generates the last digits of a sandbox card', () => {
    from('review')
      .when(resolve('completed'))
      .then(resolvedWith({ last4: sandboxLast4(operationId) }));
  });

  it.each([topupOrder, serviceOrder])('requires no details to complete a live $type', (order) => {
    given(queued({ ...order, environment: 'live' }), called, sentToReview)
      .when(resolve('completed', { receipt: 'R-2' }))
      .then(resolvedWith({ receipt: 'R-2' }));
  });

  const failedThen: OperationEvent = {
    type: 'OperationFailed',
    data: { operationId, failure: { code: 'review_failed', message: 'Asked the issuer' } },
  };

  it.each<[ReviewOutcome, ReviewOutcome, OperationEvent]>([
    ['completed', 'failed', completed],
    ['failed', 'completed', failedThen],
  ])('is final as %s, before and after the operation ends', (outcome, contrary, end) => {
    for (const past of [[resolved(outcome)], [resolved(outcome), end]]) {
      given(...eventsLeadingTo.review, ...past)
        .when(resolve(outcome, { last4: '1111' }))
        .then();
      given(...eventsLeadingTo.review, ...past)
        .when(resolve(contrary, { last4: '1111' }))
        .thenRefused('review_resolved');
    }
  });

  it("fails with the operator's note", () => {
    given(...eventsLeadingTo.review, resolved('failed'))
      .when({ type: 'FailOperation', data: { operationId } })
      .then(failedThen);
  });

  it("completes with the operator's receipt", () => {
    given(...eventsLeadingTo.review, resolvedWith(details))
      .when({ type: 'CompleteOperation', data: { operationId } })
      .then({ type: 'OperationCompleted', data: { operationId, result: { cardId: 'card', receipt: 'R-2' } } });
  });

  it('ignores a later response to the call', () => {
    const data = { operationId, callId: 'call-1', response: accepted, respondedAt: '2030-01-01T01:00:00.000Z' };
    given(...eventsLeadingTo.review, resolved('failed'))
      .when({ type: 'RecordIssuerResponse', data })
      .then();
  });

  it.each<OperationPhase>(['queued', 'calling', 'accepted', 'declined', 'completed', 'failed'])(
    'refuses an operation that is %s and was not in review',
    (phase) => {
      from(phase).when(resolve('completed', details)).thenRefused('wrong_phase');
      from(phase).when(resolve('failed')).thenRefused('wrong_phase');
    },
  );

  it('refuses an unknown operation', () => from('none').when(resolve('failed')).thenRefused('operation_unknown'));
});
