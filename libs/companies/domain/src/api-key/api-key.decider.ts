import { type Aggregate, assert, assertNever, canonicalJson, refuse } from '@florin/kernel';
import {
  type ApiKeyAnswer,
  type ApiKeyCommand,
  type ApiKeyEvent,
  apiKeyEventVersions,
  type ApiKeyIssued,
  type ApiKeyRefusal,
  type ApiKeyRotated,
  type IssueApiKey,
  type RotateApiKey,
} from './api-key.messages';

/** When each secret expires, by its hash. */
export type SecretExpiries = Map<string, string>;

export interface ApiKey {
  readonly issued: ApiKeyIssued['data'];
  /** The hashes of all secrets of this key: an old one identifies a repeated rotation, and never becomes valid again. */
  readonly secrets: SecretExpiries;
  revokedAt: string | null;
}

/** Undefined until the key is issued. */
export type ApiKeyState = ApiKey | undefined;

export const maxOverlapHours = 7 * 24;

export const apiKeyAggregate: Aggregate<ApiKeyState, ApiKeyCommand, ApiKeyEvent, ApiKeyRefusal, ApiKeyAnswer> = {
  category: 'apikey',
  stateVersion: 1,
  versions: apiKeyEventVersions,

  initialState: () => undefined,

  decide: (command, key) => {
    if (command.type === 'IssueApiKey') return issue(command, key);
    const { type, data } = command;
    if (key === undefined) return refuse('key_unknown', `There is no API key ${data.keyId}`);
    switch (type) {
      case 'RotateApiKey':
        return rotate(command, key);
      case 'RevokeApiKey':
        if (key.revokedAt !== null) return [];
        return [{ type: 'ApiKeyRevoked', data: { keyId: data.keyId, revokedAt: canonical(data.revokedAt) } }];
      default:
        return assertNever(type);
    }
  },

  evolve: (key, { type, data }) => {
    if (type === 'ApiKeyIssued') {
      return { issued: data, secrets: new Map([[data.secretHash, data.expiresAt]]), revokedAt: null };
    }
    assert(key !== undefined, `${type} precedes the issue of API key ${data.keyId}`);
    switch (type) {
      case 'ApiKeyRotated':
        rotateSecrets(key.secrets, data, key.issued.expiresAt);
        return key;
      case 'ApiKeyRevoked':
        key.revokedAt = data.revokedAt;
        return key;
      default:
        return assertNever(type);
    }
  },

  answer: apiKeyAnswer,
};

type Decision = ReturnType<(typeof apiKeyAggregate)['decide']>;

function issue({ data }: IssueApiKey, key: ApiKeyState): Decision {
  const { keyId, companyId, environment, name, scopes, secretHash, hint } = data;
  const [issuedAt, expiresAt] = [canonical(data.issuedAt), canonical(data.expiresAt)];
  const issued = { keyId, companyId, environment, name, scopes, secretHash, hint, issuedAt, expiresAt };
  if (key !== undefined) {
    if (canonicalJson(key.issued) === canonicalJson(issued)) return [];
    return refuse('key_exists', `API key ${keyId} already exists; use another id`);
  }
  if (!isBefore(issuedAt, expiresAt)) {
    return refuse('key_expired', `API key ${keyId} would expire before it is issued: choose a time after ${issuedAt}`);
  }
  return [{ type: 'ApiKeyIssued', data: issued }];
}

function rotate({ data }: RotateApiKey, key: ApiKey): Decision {
  const { keyId, secretHash, hint } = data;
  const [rotatedAt, overlapUntil] = [canonical(data.rotatedAt), canonical(data.overlapUntil)];
  if (key.secrets.has(secretHash)) return [];
  if (key.revokedAt !== null) {
    return refuse('key_revoked', `API key ${keyId} was revoked at ${key.revokedAt}; issue a new one`);
  }
  if (!isBefore(rotatedAt, key.issued.expiresAt)) {
    return refuse('key_expired', `API key ${keyId} expired at ${key.issued.expiresAt}; issue a new one`);
  }
  const overlapMs = instant(overlapUntil) - instant(rotatedAt);
  if (overlapMs < 0 || overlapMs > maxOverlapHours * 60 * 60 * 1000) {
    return refuse('overlap_out_of_range', 'The old secret may overlap the new one by 0 to 7 days');
  }
  return [{ type: 'ApiKeyRotated', data: { keyId, secretHash, hint, rotatedAt, overlapUntil } }];
}

/** The new secret is valid as long as the key. Earlier secrets end with the overlap, unless they expire before. */
export function rotateSecrets(secrets: SecretExpiries, rotated: ApiKeyRotated['data'], expiresAt: string): void {
  for (const [secretHash, validUntil] of secrets) secrets.set(secretHash, earlier(validUntil, rotated.overlapUntil));
  secrets.set(rotated.secretHash, expiresAt);
}

export function apiKeyAnswer(key: ApiKeyState): ApiKeyAnswer {
  assert(key !== undefined, 'an accepted command leaves an API key');
  const { keyId, companyId, environment, expiresAt } = key.issued;
  return { keyId, companyId, environment, expiresAt, revokedAt: key.revokedAt };
}

function instant(time: string): number {
  const milliseconds = Date.parse(time);
  assert(!Number.isNaN(milliseconds), `not a time: ${time}`);
  return milliseconds;
}

/** Events store UTC with milliseconds, independent of the ISO form in the command. */
function canonical(time: string): string {
  return new Date(instant(time)).toISOString();
}

function isBefore(time: string, other: string): boolean {
  return instant(time) < instant(other);
}

function earlier(time: string, other: string): string {
  return isBefore(other, time) ? other : time;
}
