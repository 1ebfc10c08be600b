import { specFor } from '@florin/event-sourcing/testing';
import type { OperatorActor } from '@florin/kernel';
import { approvalAggregate, approvalAnswer, type ApprovalState } from './approval.decider';
import type { FourEyesCheck } from '../operator/operator-register';
import type { ApprovalCommand, ApprovalEvent, ApprovalSubject, ProposedDecision } from './approval.messages';

const { given } = specFor(approvalAggregate);
const approvalId = 'a1';
const ida: OperatorActor = { kind: 'operator', id: 'ida' };
const bob: OperatorActor = { kind: 'operator', id: 'bob' };
const eve: OperatorActor = { kind: 'operator', id: 'eve' };
const review: ApprovalSubject = { kind: 'review', id: 'o1' };
const adjustment: ApprovalSubject = { kind: 'adjustment', id: 'a1' };
const decision: ProposedDecision = { outcome: 'completed', note: 'The issuer confirmed it' };
const other: ProposedDecision = { outcome: 'completed', note: 'The issuer confirmed it', last4: '4242' };
const amount = '1000.00';

/** Different operators are different people, except eve, who is bob. */
const fourEyes: FourEyesCheck = {
  objection: (proposer, confirmer) => {
    const people = [proposer, confirmer].map(({ id }) => (id === 'eve' ? 'bob' : id));
    return people[0] === people[1] ? 'One person' : undefined;
  },
};

const approve = (operator: OperatorActor, requestId: string, content = decision, subject = review) =>
  ({
    type: 'ApproveDecision',
    data: { approvalId, subject, decision: content, amount, operator, requestId, fourEyes },
  }) as const satisfies ApprovalCommand;
const withdraw = (operator: OperatorActor, requestId: string) =>
  ({ type: 'WithdrawProposal', data: { approvalId, operator, requestId } }) as const satisfies ApprovalCommand;
const proposed = (proposedBy: OperatorActor, requestId: string, content = decision, subject = review) =>
  ({
    type: 'DecisionProposed',
    data: { approvalId, subject, decision: content, amount, proposedBy, requestId },
  }) as const satisfies ApprovalEvent;
const confirmed = (confirmedBy: OperatorActor, requestId: string) =>
  ({ type: 'DecisionConfirmed', data: { approvalId, confirmedBy, requestId } }) as const satisfies ApprovalEvent;
const repeated = (repeatedBy: OperatorActor, requestId: string) =>
  ({ type: 'DecisionRepeated', data: { approvalId, repeatedBy, requestId } }) as const satisfies ApprovalEvent;
const withdrawn = (withdrawnBy: OperatorActor, requestId: string) =>
  ({ type: 'ProposalWithdrawn', data: { approvalId, withdrawnBy, requestId } }) as const satisfies ApprovalEvent;

const fold = (...events: readonly ApprovalEvent[]): ApprovalState =>
  events.reduce<ApprovalState>(approvalAggregate.evolve, approvalAggregate.initialState());

describe('A decision about a review', () => {
  it('is proposed by the first operator', () => {
    given().when(approve(ida, 'q1')).then(proposed(ida, 'q1'));
  });

  it('is confirmed by a different operator who sends the same decision', () => {
    given(proposed(ida, 'q1')).when(approve(bob, 'q2')).then(confirmed(bob, 'q2'));
  });

  it('is the same in any order of its fields', () => {
    const reversed = Object.fromEntries(Object.entries(other).reverse());
    given(proposed(ida, 'q1', other))
      .when(approve(bob, 'q2', reversed))
      .then(confirmed(bob, 'q2'));
  });

  it('cannot be confirmed by its proposer', () => {
    given(proposed(ida, 'q1')).when(approve(ida, 'q2')).thenRefused('not_four_eyes');
  });

  it('cannot be confirmed by another operator of the same person', () => {
    given(proposed(bob, 'q1')).when(approve(eve, 'q2')).thenRefused('not_four_eyes');
  });

  it('is not confirmed without a check of the operators', () => {
    const { type, data } = approve(bob, 'q2');
    given(proposed(ida, 'q1'))
      .when({ type, data: { ...data, fourEyes: undefined } })
      .thenThrows(/decided with the operators of the log/);
  });

  it('is replaced by a different decision, which again takes another operator', () => {
    given(proposed(ida, 'q1'))
      .when(approve(bob, 'q2', other))
      .then(proposed(bob, 'q2', other));
    given(proposed(ida, 'q1'))
      .when(approve(ida, 'q2', other))
      .then(proposed(ida, 'q2', other));
    const replaced = [proposed(ida, 'q1'), proposed(bob, 'q2', other)];
    given(...replaced)
      .when(approve(bob, 'q3', other))
      .thenRefused('not_four_eyes');
    given(...replaced)
      .when(approve(ida, 'q3', other))
      .then(confirmed(ida, 'q3'));
  });

  it('stays confirmed when it is sent again, by any operator', () => {
    const past = [proposed(ida, 'q1'), confirmed(bob, 'q2')];
    for (const operator of [ida, bob, eve]) {
      given(...past)
        .when(approve(operator, 'q3'))
        .then(repeated(operator, 'q3'));
    }
  });

  it('can be replaced after the confirmation, because it may have been impossible to execute', () => {
    const past = [proposed(ida, 'q1'), confirmed(bob, 'q2')];
    given(...past)
      .when(approve(eve, 'q3', other))
      .then(proposed(eve, 'q3', other));
    given(...past, proposed(eve, 'q3', other))
      .when(approve(bob, 'q4'))
      .then(proposed(bob, 'q4'));
  });

  it('can be proposed again after it was withdrawn', () => {
    given(proposed(ida, 'q1'), withdrawn(ida, 'q2')).when(approve(bob, 'q3')).then(proposed(bob, 'q3'));
  });
});

describe('A proposal', () => {
  it('can be withdrawn by any operator', () => {
    given(proposed(ida, 'q1')).when(withdraw(ida, 'q2')).then(withdrawn(ida, 'q2'));
    given(proposed(ida, 'q1')).when(withdraw(bob, 'q2')).then(withdrawn(bob, 'q2'));
  });

  it('is withdrawn once', () => {
    given(proposed(ida, 'q1'), withdrawn(ida, 'q2')).when(withdraw(bob, 'q3')).thenRefused('proposal_closed');
  });

  it('can be withdrawn after its confirmation, and is not approved any more', () => {
    const past = [proposed(ida, 'q1'), confirmed(bob, 'q2')];
    given(...past)
      .when(withdraw(eve, 'q3'))
      .then(withdrawn(eve, 'q3'));
    const state = fold(...past, withdrawn(eve, 'q3'));
    expect(approvalAnswer(state, approve(bob, 'q2'))).toMatchObject({ status: 'withdrawn', approved: false });
    given(...past, withdrawn(eve, 'q3'))
      .when(approve(eve, 'q4'))
      .then(proposed(eve, 'q4'));
  });

  it('is withdrawn with the reason when its execution is refused, if it is not withdrawn yet', () => {
    const past = [proposed(ida, 'q1'), confirmed(bob, 'q2')];
    const refused: ApprovalCommand = {
      type: 'WithdrawProposal',
      data: { approvalId, operator: bob, requestId: 'q3', refusal: 'No funds' },
    };
    given(...past)
      .when(refused)
      .then({
        type: 'ProposalWithdrawn',
        data: { approvalId, withdrawnBy: bob, requestId: 'q3', refusal: 'No funds' },
      });
    given(...past, withdrawn(ida, 'q4'))
      .when(refused)
      .then();
  });

  it('cannot be withdrawn before it is made', () => {
    given().when(withdraw(ida, 'q1')).thenRefused('proposal_unknown');
  });

  it('is only made by an operator', () => {
    given()
      .when(approve({ kind: 'service', id: 'invoices' } as unknown as OperatorActor, 'q1'))
      .thenThrows(/ApproveDecision by .*service/);
  });
});

describe('An adjustment', () => {
  const past = proposed(ida, 'q1', decision, adjustment);

  it('is confirmed by a different operator', () => {
    given(past)
      .when(approve(bob, 'q2', decision, adjustment))
      .then(confirmed(bob, 'q2'));
    given(past)
      .when(approve(ida, 'q2', decision, adjustment))
      .thenRefused('not_four_eyes');
  });

  it('is never replaced by a different one', () => {
    given(past)
      .when(approve(bob, 'q2', other, adjustment))
      .thenRefused('idempotency_conflict');
    // The same Idempotency-Key is the same request id.
    given(past)
      .when(approve(ida, 'q1', other, adjustment))
      .thenRefused('idempotency_conflict');
  });

  it('cannot be proposed again after it was withdrawn', () => {
    given(past, withdrawn(ida, 'q2'))
      .when(approve(bob, 'q3', decision, adjustment))
      .thenRefused('proposal_closed');
  });
});

describe('The reply', () => {
  const answer = (command: ApprovalCommand, ...events: readonly ApprovalEvent[]) =>
    approvalAnswer(fold(...events), command);

  it('approves a decision only after its confirmation', () => {
    const first = proposed(ida, 'q1');
    expect(answer(approve(ida, 'q1'), first)).toEqual({ status: 'proposed', approved: false, proposedBy: ida });
    expect(answer(approve(bob, 'q2'), first, confirmed(bob, 'q2'))).toEqual({
      ...{ status: 'confirmed', approved: true, proposedBy: ida, confirmedBy: bob },
    });
    const again = [first, confirmed(bob, 'q2'), repeated(ida, 'q3')];
    expect(answer(approve(ida, 'q3'), ...again)).toMatchObject({ approved: true, proposedBy: ida, confirmedBy: bob });
  });

  it('does not approve a decision that was replaced, withdrawn or not sent', () => {
    const past = [proposed(ida, 'q1'), confirmed(bob, 'q2')];
    expect(answer(approve(bob, 'q2'), ...past, proposed(eve, 'q3', other))).toMatchObject({
      ...{ status: 'proposed', approved: false, proposedBy: eve },
    });
    expect(answer(approve(bob, 'q3', other), ...past)).toMatchObject({ approved: false });
    expect(answer(withdraw(ida, 'q2'), proposed(ida, 'q1'), withdrawn(ida, 'q2'))).toEqual({
      ...{ status: 'withdrawn', approved: false, proposedBy: ida },
    });
  });
});

it('An approval cannot have events before its proposal', () => {
  expect(() => approvalAggregate.evolve(undefined, confirmed(bob, 'q1'))).toThrow(/precedes the proposal/);
});
