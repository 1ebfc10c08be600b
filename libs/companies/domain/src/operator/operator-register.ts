import { type Actor, assert, assertNever, type OperatorActor } from '@florin/kernel';
import { type OperatorRole, rolesWith } from './operator-roles';
import type { OperatorEvent } from './operator.messages';

/** The operator with FLORIN_OPERATOR_TOKEN. It is in no log. */
export const bootstrapOperatorId = 'bootstrap';

/** Says why two operators do not count as two people, or undefined if they do. */
export interface FourEyesCheck {
  objection(proposer: OperatorActor, confirmer: OperatorActor): string | undefined;
}

interface RegisteredOperator {
  readonly emailHash: string;
  role: OperatorRole;
  isDisabled: boolean;
  /** Who may know the current token: the operator who issued it, and those who may have known that one's token then. */
  tokenIssuers: ReadonlySet<string>;
  /** Likewise for the current role. */
  roleGrantors: ReadonlySet<string>;
}

const mayDecide = rolesWith('finance');

/** All operators, with who has issued their tokens and granted their roles. One person alone must not be two operators. */
export class OperatorRegister implements FourEyesCheck {
  private readonly operators = new Map<string, RegisteredOperator>();

  /** Call with every event of the operators in their order. `actor` is absent in events that do not name one. */
  add({ type, data }: OperatorEvent, actor: Actor | undefined): void {
    const cause = this.everyoneBehind(actor);
    if (type === 'OperatorCreated') {
      const { operatorId, emailHash, role } = data;
      const operator = { emailHash, role, isDisabled: false, tokenIssuers: cause, roleGrantors: cause };
      this.operators.set(operatorId, operator);
      return;
    }
    const operator = this.operators.get(data.operatorId);
    assert(operator !== undefined, () => `${type} precedes the creation of operator ${data.operatorId}`);
    switch (type) {
      case 'OperatorRoleChanged':
        operator.role = data.role;
        operator.roleGrantors = cause;
        return;
      case 'OperatorTokenRotated':
        operator.tokenIssuers = cause;
        return;
      case 'OperatorDisabled':
        operator.isDisabled = true;
        return;
      default:
        assertNever(type);
    }
  }

  objection({ id: proposer }: OperatorActor, { id: confirmer }: OperatorActor): string | undefined {
    if (proposer === confirmer) return 'You have proposed this decision: a different operator must confirm it';
    for (const id of [proposer, confirmer]) {
      if (this.isActive(id)) continue;
      return `Operator ${id} is disabled or has no role that may decide: withdraw the proposal and propose it again`;
    }
    for (const [one, other] of [
      [proposer, confirmer],
      [confirmer, proposer],
    ] as const) {
      if (!this.hasEmpowered(one, other)) continue;
      if (one === bootstrapOperatorId) {
        return `FLORIN_OPERATOR_TOKEN is behind operator ${other}: let two named operators with the role finance decide`;
      }
      return (
        `Operator ${one} has issued the token or granted the role of operator ${other}: let a third operator decide, or let ` +
        `another admin rotate the token of ${other} and set the role`
      );
    }
    if (this.operators.get(proposer)?.emailHash === this.operators.get(confirmer)?.emailHash) {
      return 'The proposer has the same e-mail address: a different person must confirm the decision';
    }
    return undefined;
  }

  private isActive(id: string): boolean {
    if (id === bootstrapOperatorId) return true;
    const operator = this.operators.get(id);
    return operator !== undefined && !operator.isDisabled && mayDecide.includes(operator.role);
  }

  private hasEmpowered(one: string, other: string): boolean {
    const operator = this.operators.get(other);
    return operator !== undefined && (operator.tokenIssuers.has(one) || operator.roleGrantors.has(one));
  }

  /** An operator can act through a colleague whose token that operator has issued, so both may be behind an event. */
  private everyoneBehind(actor: Actor | undefined): ReadonlySet<string> {
    if (actor?.kind !== 'operator') return new Set();
    return new Set([actor.id, ...(this.operators.get(actor.id)?.tokenIssuers ?? [])]);
  }
}
