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

/** A key as people manage it. */
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
  /** Some seconds behind: use is noted in passing. Null when the key has never been used. */
  readonly lastUsedAt: string | null;
}

/** All that a request needs to know about the key it came with. */
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
  /** When the very secret that was presented ends: never later than the key, and earlier once it was rotated. */
  readonly secretValidUntil: string;
  readonly revokedAt: string | null;
}
