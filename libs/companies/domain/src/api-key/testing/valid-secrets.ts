import type { ApiKeyState } from '../api-key.decider';

/** The hashes of the secrets that are valid at the given time. A revoked key has none. */
export function validSecrets(key: ApiKeyState, at: string): readonly string[] {
  if (key === undefined || key.revokedAt !== null) return [];
  return [...key.secrets]
    .filter(([, validUntil]) => Date.parse(at) < Date.parse(validUntil))
    .map(([secretHash]) => secretHash);
}
