import type { Capability, CompanyKind, Environment, Scope, VerificationStatus } from '@florin/companies-domain';

/** All times in these views are ISO 8601 in UTC with milliseconds, so comparing two as text compares the instants. */
export interface CompanyView {
  readonly companyId: string;
  readonly name: string;
  readonly kind: CompanyKind;
  readonly verification: VerificationStatus;
  readonly activations: readonly Capability[];
  readonly createdAt: string;
}

/** An API key as operators and companies manage it. */
export interface ApiKeyDetails {
  readonly keyId: string;
  readonly companyId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The last four characters of its newest secret. */
  readonly hint: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** Lags by some seconds. Null if the key was never used. */
  readonly lastUsedAt: string | null;
}

/** The data to authorize a request with this key. */
export interface ApiKeyView {
  readonly keyId: string;
  readonly companyId: string;
  readonly companyName: string;
  readonly companyKind: CompanyKind;
  readonly verification: VerificationStatus;
  readonly activations: readonly Capability[];
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  readonly name: string;
  readonly expiresAt: string;
  /** When the presented secret expires: with the key at the latest, earlier after a rotation. */
  readonly secretValidUntil: string;
  readonly revokedAt: string | null;
}
