import type { Command, DomainEvent, EventVersions, Upcaster } from '@florin/kernel';
import type { Environment, Scope } from '../scopes';

/** Only the SHA-256 of a key is sent and stored, with its last four characters as a hint for people. */
interface Secret {
  readonly secretHash: string;
  readonly hint: string;
}

interface IssuedKey extends Secret {
  readonly keyId: string;
  readonly companyId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly issuedAt: string;
  readonly expiresAt: string;
}

/** The key keeps its id and gets a new secret. Earlier secrets are valid until `overlapUntil` at the latest. */
interface Rotation extends Secret {
  readonly keyId: string;
  readonly rotatedAt: string;
  readonly overlapUntil: string;
}

interface Revocation {
  readonly keyId: string;
  readonly revokedAt: string;
}

export type IssueApiKey = Command<'IssueApiKey', IssuedKey>;
export type RotateApiKey = Command<'RotateApiKey', Rotation>;
export type RevokeApiKey = Command<'RevokeApiKey', Revocation>;

export type ApiKeyCommand = IssueApiKey | RotateApiKey | RevokeApiKey;

export const apiKeyCommandTypes = [
  'IssueApiKey',
  'RotateApiKey',
  'RevokeApiKey',
] as const satisfies readonly ApiKeyCommand['type'][];

export type ApiKeyIssued = DomainEvent<'ApiKeyIssued', IssuedKey>;
export type ApiKeyRotated = DomainEvent<'ApiKeyRotated', Rotation>;
export type ApiKeyRevoked = DomainEvent<'ApiKeyRevoked', Revocation>;

export type ApiKeyEvent = ApiKeyIssued | ApiKeyRotated | ApiKeyRevoked;

/** `company_unknown` comes from the application, which alone reads both the key and its company. */
export type ApiKeyRefusal =
  'company_unknown' | 'key_exists' | 'key_unknown' | 'key_revoked' | 'key_expired' | 'overlap_out_of_range';

/** What the sender of an accepted command gets back: the current key. */
export interface ApiKeyAnswer {
  readonly keyId: string;
  readonly companyId: string;
  readonly environment: Environment;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** Version 2 added the scope `cards:reveal`. */
const withFewerScopes: Upcaster = (data) => data;

export const apiKeyEventVersions: EventVersions<ApiKeyEvent> = {
  ApiKeyIssued: [withFewerScopes],
  ApiKeyRotated: [],
  ApiKeyRevoked: [],
};
