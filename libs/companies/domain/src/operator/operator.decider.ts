import {
  type Aggregate,
  assert,
  assertNever,
  decideRepeat,
  noRequests,
  type RecentRequests,
  type Refusal,
  refuse,
  rememberRequest,
} from '@florin/kernel';
import type { OperatorRole } from './operator-roles';
import {
  type ChangeOperatorRole,
  type CreateOperator,
  type OperatorAnswer,
  type OperatorCommand,
  type OperatorEvent,
  operatorEventVersions,
  type OperatorRefusal,
  type RotateOperatorToken,
} from './operator.messages';

interface Operator {
  readonly emailHash: string;
  role: OperatorRole;
  /** The hashes of all tokens, newest last: an old one identifies a repeated command, and never becomes valid again. */
  readonly tokenHashes: string[];
  /** The newest role changes: a late repeat changes nothing. */
  readonly roleChanges: RecentRequests<null>;
  disabledAt: string | null;
}

/** All operators by id, because an e-mail address belongs to at most one enabled operator. */
export type OperatorDirectory = Map<string, Operator>;

/** The one stream of all operators, `operators-all`. */
export const operatorDirectoryId = 'all';

type Decision = readonly OperatorEvent[] | Refusal<OperatorRefusal>;

export const operatorAggregate: Aggregate<
  OperatorDirectory,
  OperatorCommand,
  OperatorEvent,
  OperatorRefusal,
  OperatorAnswer
> = {
  category: 'operators',
  stateVersion: 1,
  versions: operatorEventVersions,

  initialState: () => new Map(),

  decide: (command, directory) => {
    if (command.type === 'CreateOperator') return create(command, directory);
    const { type, data } = command;
    const operator = directory.get(data.operatorId);
    if (operator === undefined) return refuse('operator_unknown', `There is no operator ${data.operatorId}`);
    switch (type) {
      case 'ChangeOperatorRole':
        return changeRole(command, operator);
      case 'RotateOperatorToken':
        return rotate(command, operator);
      case 'DisableOperator': {
        const { operatorId, disabledAt } = data;
        if (operator.disabledAt !== null) return [];
        return [{ type: 'OperatorDisabled', data: { operatorId, disabledAt: canonical(disabledAt) } }];
      }
      default:
        return assertNever(type);
    }
  },

  evolve: (directory, { type, data }) => {
    if (type === 'OperatorCreated') {
      const { operatorId, emailHash, role, tokenHash } = data;
      const operator = { emailHash, role, tokenHashes: [tokenHash], roleChanges: noRequests<null>(), disabledAt: null };
      return directory.set(operatorId, operator);
    }
    const operator = directory.get(data.operatorId);
    assert(operator !== undefined, () => `${type} precedes the creation of operator ${data.operatorId}`);
    switch (type) {
      case 'OperatorRoleChanged':
        operator.role = data.role;
        rememberRequest(operator.roleChanges, data.requestId, data.requestedAt, null);
        return directory;
      case 'OperatorTokenRotated':
        operator.tokenHashes.push(data.tokenHash);
        return directory;
      case 'OperatorDisabled':
        operator.disabledAt = data.disabledAt;
        return directory;
      default:
        return assertNever(type);
    }
  },

  answer: (directory, { data }) => operatorAnswer(directory, data.operatorId),
};

function create({ data }: CreateOperator, directory: OperatorDirectory): Decision {
  const { operatorId, sealed, emailHash, role, tokenHash, hint } = data;
  const known = directory.get(operatorId);
  if (known !== undefined) {
    if (known.tokenHashes[0] === tokenHash) return [];
    return refuse('operator_exists', `Operator ${operatorId} already exists; use another id`);
  }
  for (const operator of directory.values()) {
    if (operator.emailHash !== emailHash || operator.disabledAt !== null) continue;
    return refuse('email_taken', 'An enabled operator has this e-mail address: use another one, or that operator');
  }
  const createdAt = canonical(data.createdAt);
  return [{ type: 'OperatorCreated', data: { operatorId, sealed, emailHash, role, tokenHash, hint, createdAt } }];
}

function changeRole({ data }: ChangeOperatorRole, operator: Operator): Decision {
  const { operatorId, role, requestId, requestedAt } = data;
  const repeat = decideRepeat(operator.roleChanges, requestId, requestedAt);
  if (repeat !== undefined) return repeat;
  if (operator.disabledAt !== null) return refuseDisabled(operatorId, operator.disabledAt);
  // Recorded even without a change, because otherwise a late duplicate could undo a newer decision.
  return [{ type: 'OperatorRoleChanged', data: { operatorId, role, requestId, requestedAt } }];
}

function rotate({ data }: RotateOperatorToken, operator: Operator): Decision {
  const { operatorId, tokenHash, hint } = data;
  if (operator.tokenHashes.includes(tokenHash)) return [];
  if (operator.disabledAt !== null) return refuseDisabled(operatorId, operator.disabledAt);
  const rotatedAt = canonical(data.rotatedAt);
  return [{ type: 'OperatorTokenRotated', data: { operatorId, tokenHash, hint, rotatedAt } }];
}

function refuseDisabled(operatorId: string, disabledAt: string): Refusal<OperatorRefusal> {
  return refuse('operator_disabled', `Operator ${operatorId} was disabled at ${disabledAt}; create a new one`);
}

function operatorAnswer(directory: OperatorDirectory, operatorId: string): OperatorAnswer {
  const operator = directory.get(operatorId);
  assert(operator !== undefined, () => `operator ${operatorId} must exist after an accepted command`);
  return { operatorId, role: operator.role, disabledAt: operator.disabledAt };
}

/** Events store UTC with milliseconds, independent of the ISO form in the command. */
function canonical(time: string): string {
  const milliseconds = Date.parse(time);
  assert(!Number.isNaN(milliseconds), `not a time: ${time}`);
  return new Date(milliseconds).toISOString();
}
