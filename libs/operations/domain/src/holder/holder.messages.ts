import { type Command, type DomainEvent, type EventVersions, withoutRequestTime } from '@florin/kernel';

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

export type SetHolderStatus = Command<'SetHolderStatus', OnAccount<StatusChange>>;
/** Destroys the holder's key, which makes name and e-mail unreadable, and deactivates the holder. */
export type EraseHolder = Command<'EraseHolder', OnAccount<{ readonly holderId: string }>>;

export type HolderCommand = RegisterHolder | SetHolderStatus | EraseHolder;

export const holderCommandTypes = [
  'RegisterHolder',
  'SetHolderStatus',
  'EraseHolder',
] as const satisfies readonly HolderCommand['type'][];

export type HolderRegistered = DomainEvent<'HolderRegistered', Registration>;
export type HolderStatusChanged = DomainEvent<'HolderStatusChanged', StatusChange>;
export type HolderErased = DomainEvent<'HolderErased', { readonly holderId: string }>;

export type HolderEvent = HolderRegistered | HolderStatusChanged | HolderErased;

export const holderEventVersions: EventVersions<HolderEvent> = {
  HolderRegistered: [],
  HolderStatusChanged: [withoutRequestTime],
  HolderErased: [],
};

export type HolderRefusal =
  | 'idempotency_conflict'
  | 'external_id_taken'
  | 'holder_unknown'
  | 'holder_erased'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated';

export interface HolderAnswer {
  readonly holderId: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
}
