import { type Command, type DomainEvent, type EventVersions, withoutRequestTime } from '@florin/kernel';
import type { Capability } from '../scopes';

export const companyKinds = ['individual', 'corporate'] as const;

/** Companies of the kind individual have a monthly quota of cards; corporate ones have none. */
export type CompanyKind = (typeof companyKinds)[number];

export const verificationStatuses = ['pending', 'approved', 'rejected'] as const;

/** No key works before its company is approved, not even in sandbox. */
export type VerificationStatus = (typeof verificationStatuses)[number];

export type RegisterCompany = Command<'RegisterCompany', { companyId: string; name: string; kind: CompanyKind }>;
/** Both set a value and are executed once per request: a late duplicate must not undo a newer decision. */
export type SetVerification = Command<
  'SetVerification',
  { companyId: string; status: VerificationStatus; requestId: string; requestedAt?: string }
>;
export type SetActivation = Command<
  'SetActivation',
  { companyId: string; capability: Capability; active: boolean; requestId: string; requestedAt?: string }
>;

export type CompanyCommand = RegisterCompany | SetVerification | SetActivation;

export const companyCommandTypes = [
  'RegisterCompany',
  'SetVerification',
  'SetActivation',
] as const satisfies readonly CompanyCommand['type'][];

export type CompanyRegistered = DomainEvent<
  'CompanyRegistered',
  { companyId: string; name: string; kind: CompanyKind }
>;
/** Old events have no request id or no time. */
export type VerificationChanged = DomainEvent<
  'VerificationChanged',
  { companyId: string; status: VerificationStatus; requestId?: string; requestedAt?: string }
>;
export type ActivationChanged = DomainEvent<
  'ActivationChanged',
  { companyId: string; capability: Capability; active: boolean; requestId?: string; requestedAt?: string }
>;

export type CompanyEvent = CompanyRegistered | VerificationChanged | ActivationChanged;

export type CompanyRefusal =
  | 'company_exists'
  | 'company_unknown'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated';

/** What the sender of an accepted command gets back: the current company. */
export interface CompanyAnswer {
  readonly companyId: string;
  readonly name: string;
  readonly kind: CompanyKind;
  readonly verification: VerificationStatus;
  readonly activations: readonly Capability[];
}

export const companyEventVersions: EventVersions<CompanyEvent> = {
  CompanyRegistered: [],
  VerificationChanged: [withoutRequestTime],
  ActivationChanged: [withoutRequestTime],
};
