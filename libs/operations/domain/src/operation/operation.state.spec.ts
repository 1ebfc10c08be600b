import type { OperationEvent } from './operation.messages';
import { statusOf } from './operation.state';
import {
  accepted,
  completed,
  failed,
  issueOrder,
  noted,
  operationDeclined,
  pathTo,
  queued,
  resolved,
  stateAfter,
} from './testing/sample-operation';

describe('the status', () => {
  it.each<[string, string, readonly OperationEvent[]]>([
    ['queued', 'queued', pathTo.queued],
    ['called', 'processing', pathTo.calling],
    ['accepted', 'processing', pathTo.accepted],
    ['declined', 'processing', pathTo.declined],
    ['declined without a call', 'processing', [queued(), operationDeclined]],
    ['in review', 'manual_review', pathTo.review],
    ['in review with a late response', 'manual_review', [...pathTo.review, noted('n1', accepted)]],
    ['resolved as completed', 'manual_review', [...pathTo.review, resolved('completed')]],
    ['resolved as failed', 'manual_review', [...pathTo.review, resolved('failed')]],
    ['completed after its review', 'completed', [...pathTo.review, resolved('completed'), completed]],
    ['failed after its review', 'failed', [...pathTo.review, resolved('failed'), failed]],
    ['completed', 'completed', pathTo.completed],
    ['failed', 'failed', pathTo.failed],
  ])('of an operation that is %s is %s', (_, status, past) => {
    expect(statusOf(stateAfter(...past))).toBe(status);
  });

  it('throws for an operation that does not exist', () => {
    expect(() => statusOf(stateAfter())).toThrow(/Invariant/);
  });
});

it('drops the details of an ended operation', () => {
  const past = [...pathTo.review, noted('n1', accepted), resolved('completed'), completed];
  const kept = Object.entries(stateAfter(...past)).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(kept)).toEqual({
    phase: 'completed',
    order: issueOrder,
    resolution: 'completed',
    noteIds: ['n1'],
  });
});
