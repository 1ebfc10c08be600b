import { type Command, type DomainEvent, type EventVersions, type Upcaster, withoutRequestTime } from '@florin/kernel';

export const holderKinds = ['individual', 'corporate'] as const;
export type HolderKind = (typeof holderKinds)[number];

export const holderStatuses = ['pending', 'active', 'blocked', 'inactive'] as const;
export type HolderStatus = (typeof holderStatuses)[number];

interface Registration {
  readonly holderId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  readonly kind: HolderKind;
  readonly externalId: string;
  readonly status: HolderStatus;
  /** Name and e-mail, encrypted with this holder's key, which is stored outside the log. */
  readonly sealed: string;
  /** The metadata, encrypted in the same way. Absent without metadata, and in old events. */
  readonly sealedMetadata?: string;
  /** The same for a repeated request. */
  readonly requestId: string;
  /** A hash keyed with the holder's key, so it reveals nothing about the person without that key. */
  readonly fingerprint: string;
  readonly createdAt: string;
}

type OnAccount<Data> = Data & { readonly accountId: string };

export type RegisterHolder = Command<'RegisterHolder', OnAccount<Registration>>;
interface StatusChange {
  readonly holderId: string;
  readonly status: HolderStatus;
  readonly requestId: string;
  /** Absent in old messages. */
  readonly requestedAt?: string;
}

/** The fields that a company changes; each of them is encrypted separately, so that changes of others do not get lost. */
interface HolderChange {
  readonly holderId: string;
  readonly requestId: string;
  readonly requestedAt: string;
  readonly status?: HolderStatus;
  readonly sealedName?: string;
  readonly sealedEmail?: string;
  /** Replaces all metadata. */
  readonly sealedMetadata?: string;
}

export type ChangeHolder = Command<'ChangeHolder', OnAccount<HolderChange>>;
/** The decision of an operator. */
export type SetHolderStatus = Command<'SetHolderStatus', OnAccount<StatusChange>>;
/** Destroys the holder's key, which makes name and e-mail unreadable, and deactivates the holder. */
export type EraseHolder = Command<'EraseHolder', OnAccount<{ readonly holderId: string }>>;

export type HolderCommand = RegisterHolder | ChangeHolder | SetHolderStatus | EraseHolder;

export const holderCommandTypes = [
  'RegisterHolder',
  'ChangeHolder',
  'SetHolderStatus',
  'EraseHolder',
] as const satisfies readonly HolderCommand['type'][];

export type HolderRegistered = DomainEvent<'HolderRegistered', Registration>;
export type HolderChanged = DomainEvent<'HolderChanged', HolderChange>;
export type HolderStatusChanged = DomainEvent<'HolderStatusChanged', StatusChange>;
export type HolderErased = DomainEvent<'HolderErased', { readonly holderId: string }>;

export type HolderEvent = HolderRegistered | HolderChanged | HolderStatusChanged | HolderErased;

/** The previous version has no metadata. */
const withoutMetadata: Upcaster = (data) => data;

export const holderEventVersions: EventVersions<HolderEvent> = {
  HolderRegistered: [withoutMetadata],
  HolderChanged: [],
  HolderStatusChanged: [withoutRequestTime],
  HolderErased: [],
};

export type HolderRefusal =
  | 'idempotency_conflict'
  | 'external_id_taken'
  | 'holder_unknown'
  | 'holder_erased'
  /** Only an operator can set this status. */
  | 'status_not_allowed'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated';

export interface HolderAnswer {
  readonly holderId: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
  readonly createdAt: string;
}
