import type { OperationEvent } from './operation.messages';
import { statusOf } from './operation.state';
import {
  accepted,
  completed,
  failed,
  issueOrder,
  noted,
  operationDeclined,
  eventsLeadingTo,
  queued,
  resolved,
  stateAfter,
} from './testing/sample-operation';

describe('the status', () => {
  it.each<[string, string, readonly OperationEvent[]]>([
    ['queued', 'queued', eventsLeadingTo.queued],
    ['called', 'processing', eventsLeadingTo.calling],
    ['accepted', 'processing', eventsLeadingTo.accepted],
    ['declined', 'processing', eventsLeadingTo.declined],
    ['declined without a call', 'processing', [queued(), operationDeclined]],
    ['in review', 'manual_review', eventsLeadingTo.review],
    ['in review with a late response', 'manual_review', [...eventsLeadingTo.review, noted('n1', accepted)]],
    ['resolved as completed', 'manual_review', [...eventsLeadingTo.review, resolved('completed')]],
    ['resolved as failed', 'manual_review', [...eventsLeadingTo.review, resolved('failed')]],
    ['completed after its review', 'completed', [...eventsLeadingTo.review, resolved('completed'), completed]],
    ['failed after its review', 'failed', [...eventsLeadingTo.review, resolved('failed'), failed]],
    ['completed', 'completed', eventsLeadingTo.completed],
    ['failed', 'failed', eventsLeadingTo.failed],
  ])('of an operation that is %s is %s', (_, status, past) => {
    expect(statusOf(stateAfter(...past))).toBe(status);
  });

  it('throws for an operation that does not exist', () => {
    expect(() => statusOf(stateAfter())).toThrow(/Invariant/);
  });
});

it('drops the details of an ended operation', () => {
  const past = [...eventsLeadingTo.review, noted('n1', accepted), resolved('completed'), completed];
  const kept = Object.entries(stateAfter(...past)).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(kept)).toEqual({
    phase: 'completed',
    order: issueOrder,
    resolution: 'completed',
    noteIds: ['n1'],
  });
});
