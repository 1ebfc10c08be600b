import { type Command, type DomainEvent, type EventVersions, withoutRequestTime } from '@florin/kernel';
import type { OperatorRole } from './operator-roles';

/** Only the SHA-256 of a token is sent and stored, with its last four characters as a hint for people. */
interface Token {
  readonly tokenHash: string;
  readonly hint: string;
}

interface CreatedOperator extends Token {
  readonly operatorId: string;
  /** Name and e-mail, encrypted with this operator's key, which is stored outside the log. */
  readonly sealed: string;
  /** A keyed hash of the e-mail address, equal for equal addresses. Without its key it reveals nothing. */
  readonly emailHash: string;
  readonly role: OperatorRole;
  readonly createdAt: string;
}

interface RoleChange {
  readonly operatorId: string;
  readonly role: OperatorRole;
  /** The same for a repeated request. */
  readonly requestId: string;
  /** Absent in old messages. */
  readonly requestedAt?: string;
}

/** Earlier tokens end at once. */
interface Rotation extends Token {
  readonly operatorId: string;
  readonly rotatedAt: string;
}

interface Disabling {
  readonly operatorId: string;
  readonly disabledAt: string;
}

export type CreateOperator = Command<'CreateOperator', CreatedOperator>;
export type ChangeOperatorRole = Command<'ChangeOperatorRole', RoleChange>;
export type RotateOperatorToken = Command<'RotateOperatorToken', Rotation>;
export type DisableOperator = Command<'DisableOperator', Disabling>;

export type OperatorCommand = CreateOperator | ChangeOperatorRole | RotateOperatorToken | DisableOperator;

export const operatorCommandTypes = [
  'CreateOperator',
  'ChangeOperatorRole',
  'RotateOperatorToken',
  'DisableOperator',
] as const satisfies readonly OperatorCommand['type'][];

export type OperatorCreated = DomainEvent<'OperatorCreated', CreatedOperator>;
export type OperatorRoleChanged = DomainEvent<'OperatorRoleChanged', RoleChange>;
export type OperatorTokenRotated = DomainEvent<'OperatorTokenRotated', Rotation>;
export type OperatorDisabled = DomainEvent<'OperatorDisabled', Disabling>;

export type OperatorEvent = OperatorCreated | OperatorRoleChanged | OperatorTokenRotated | OperatorDisabled;

export const operatorEventVersions: EventVersions<OperatorEvent> = {
  OperatorCreated: [],
  OperatorRoleChanged: [withoutRequestTime],
  OperatorTokenRotated: [],
  OperatorDisabled: [],
};

export type OperatorRefusal =
  | 'operator_exists'
  | 'operator_unknown'
  | 'operator_disabled'
  | 'email_taken'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated';

/** What the sender of an accepted command gets back: the current operator. */
export interface OperatorAnswer {
  readonly operatorId: string;
  readonly role: OperatorRole;
  readonly disabledAt: string | null;
}
