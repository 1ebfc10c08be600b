import { isRefusal, isSameActor } from '@florin/kernel';
import * as fc from 'fast-check';
import { approvalAggregate, approvalAnswer, type ApprovalState } from './approval.decider';
import type { FourEyesCheck } from '../operator/operator-register';
import type { ApprovalCommand, ApprovalEvent } from './approval.messages';

const approvalId = 'a1';
const operators = fc.constantFrom('ida', 'bob', 'eve').map((id) => ({ kind: 'operator', id }) as const);
const notes = fc.constantFrom('x', 'y', 'z');

const fourEyes: FourEyesCheck = {
  objection: (proposer, confirmer) => (isSameActor(proposer, confirmer) ? 'One operator' : undefined),
};

/** A request: who sends which decision, or withdraws. Each can be redelivered at any later time. */
const requests = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ operator: operators, note: notes }) },
      { weight: 1, arbitrary: fc.record({ operator: operators }) },
    ),
    { maxLength: 25 },
  )
  .chain((list) => {
    const kind = fc.constantFrom('review' as const, 'adjustment' as const);
    const deliveries = fc.array(fc.nat({ max: Math.max(0, list.length - 1) }), { maxLength: 60 });
    return fc.tuple(kind, deliveries, fc.constant(list));
  })
  .map(([kind, deliveries, list]) => {
    const commands = list.map((request, index): ApprovalCommand => {
      const common = { approvalId, operator: request.operator, requestId: `q${index}` };
      if (!('note' in request)) return { type: 'WithdrawProposal', data: common };
      const decision = { outcome: 'completed', note: request.note };
      return {
        type: 'ApproveDecision',
        data: { ...common, subject: { kind, id: 's1' }, decision, amount: '1000.00', fourEyes },
      };
    });
    return deliveries.map((index) => commands[index]).filter((command) => command !== undefined);
  });

/** Who has sent each decision. */
type Senders = Map<string, Set<string>>;

function run(
  commands: readonly ApprovalCommand[],
  onApproved: (command: ApprovalCommand, senders: Senders) => void,
): ApprovalEvent[] {
  const log: ApprovalEvent[] = [];
  const senders: Senders = new Map();
  let state: ApprovalState = approvalAggregate.initialState();
  for (const command of commands) {
    if (command.type === 'ApproveDecision') {
      const note = String(command.data.decision['note']);
      senders.set(note, (senders.get(note) ?? new Set()).add(command.data.operator.id));
    }
    const decision = approvalAggregate.decide(command, state);
    if (isRefusal(decision)) continue;
    for (const event of decision) {
      state = approvalAggregate.evolve(state, event);
      log.push(event);
    }
    if (approvalAnswer(state, command).approved) onApproved(command, senders);
  }
  return log;
}

describe('For any interleaving of the requests of several operators, with redeliveries', () => {
  it('no decision is approved that fewer than two different operators have sent', () => {
    let approvals = 0;
    fc.assert(
      fc.property(requests, (commands) => {
        run(commands, (command, senders) => {
          approvals += 1;
          expect(command.type).toBe('ApproveDecision');
          const note = command.type === 'ApproveDecision' ? String(command.data.decision['note']) : '';
          expect(senders.get(note)!.size).toBeGreaterThanOrEqual(2);
        });
      }),
      { numRuns: 1_000 },
    );
    expect(approvals).toBeGreaterThan(100);
  });

  it('every confirmation is by another operator than its proposal', () => {
    fc.assert(
      fc.property(requests, (commands) => {
        const log = run(commands, () => undefined);
        log.forEach((event, index) => {
          if (event.type !== 'DecisionConfirmed') return;
          const proposal = log.slice(0, index).findLast(({ type }) => type === 'DecisionProposed');
          expect(proposal?.type).toBe('DecisionProposed');
          if (proposal?.type !== 'DecisionProposed') return;
          expect(isSameActor(proposal.data.proposedBy, event.data.confirmedBy)).toBe(false);
        });
      }),
      { numRuns: 1_000 },
    );
  });
});
