import { specFor } from '@florin/event-sourcing/testing';
import { apiKeyAnswer, apiKeyAggregate } from './api-key.decider';
import { validSecrets } from './testing/valid-secrets';
import {
  type ApiKeyCommand,
  type ApiKeyEvent,
  type ApiKeyIssued,
  type ApiKeyRefusal,
  type ApiKeyRevoked,
  type ApiKeyRotated,
  type IssueApiKey,
  type RevokeApiKey,
  type RotateApiKey,
} from './api-key.messages';

const { given } = specFor(apiKeyAggregate);
const keyId = 'feedface-0000-4000-8000-000000000001';
const issuedAt = '2026-01-01T00:00:00.000Z';
const expiresAt = '2027-01-01T00:00:00.000Z';

const issue = (changes: Partial<IssueApiKey['data']> = {}): IssueApiKey => ({
  type: 'IssueApiKey',
  data: {
    keyId,
    companyId: 'c0ffee00-0000-4000-8000-000000000001',
    environment: 'sandbox',
    name: 'Checkout',
    scopes: ['cards:read', 'cards:write'],
    secretHash: 'hash-1',
    hint: 'aaaa',
    issuedAt,
    expiresAt,
    ...changes,
  },
});
const issued: ApiKeyIssued = { type: 'ApiKeyIssued', data: issue().data };

const rotation = { keyId, secretHash: 'hash-2', hint: 'bbbb', rotatedAt: '2026-06-01T00:00:00.000Z' };
const rotate = (overlapUntil: string, changes: Partial<RotateApiKey['data']> = {}): RotateApiKey => ({
  type: 'RotateApiKey',
  data: { ...rotation, overlapUntil, ...changes },
});
const rotated = (overlapUntil: string): ApiKeyRotated => ({
  type: 'ApiKeyRotated',
  data: { ...rotation, overlapUntil },
});
const nextDay = '2026-06-02T00:00:00.000Z';

const revoke: RevokeApiKey = { type: 'RevokeApiKey', data: { keyId, revokedAt: '2026-07-01T00:00:00.000Z' } };
const revoked: ApiKeyRevoked = { type: 'ApiKeyRevoked', data: revoke.data };

const stateAfter = (...events: readonly ApiKeyEvent[]) =>
  structuredClone(events).reduce(apiKeyAggregate.evolve, apiKeyAggregate.initialState());

describe('An API key', () => {
  it('is issued once', () => {
    given().when(issue()).then(issued);
  });

  it('stores times as UTC with milliseconds for any ISO input', () => {
    given()
      .when(issue({ expiresAt: '2027-01-01T01:00:00+01:00' }))
      .then(issued);
  });

  it('rotates with an overlap of zero to seven days', () => {
    given(issued).when(rotate(rotation.rotatedAt)).then(rotated(rotation.rotatedAt));
    given(issued).when(rotate('2026-06-08T00:00:00.000Z')).then(rotated('2026-06-08T00:00:00.000Z'));
  });

  it('is revoked, even after its expiry', () => {
    given(issued, rotated(nextDay)).when(revoke).then(revoked);
    const late = '2028-01-01T00:00:00.000Z';
    given(issued)
      .when({ ...revoke, data: { keyId, revokedAt: late } })
      .then({ ...revoked, data: { keyId, revokedAt: late } });
  });

  it('recognizes repeats after any later event', () => {
    given(issued, rotated(nextDay), revoked).when(issue()).then();
    given(issued, rotated(nextDay), revoked).when(rotate(nextDay)).then();
    given(issued, revoked)
      .when({ ...revoke, data: { keyId, revokedAt: nextDay } })
      .then();
  });

  const eightDays = '2026-06-09T00:00:00.000Z';
  const afterExpiry = { rotatedAt: expiresAt };
  it.each<[string, readonly ApiKeyEvent[], ApiKeyCommand, ApiKeyRefusal]>([
    ['issue: key_exists before key_expired', [issued], issue({ expiresAt: issuedAt }), 'key_exists'],
    ['issue: another secret under the same id', [issued], issue({ secretHash: 'hash-9' }), 'key_exists'],
    ['issue: expired at the time of issue', [], issue({ expiresAt: issuedAt }), 'key_expired'],
    ['rotate: key_unknown first', [], rotate(eightDays), 'key_unknown'],
    ['rotate: key_revoked before key_expired', [issued, revoked], rotate(eightDays, afterExpiry), 'key_revoked'],
    ['rotate: key_expired before the overlap', [issued], rotate(issuedAt, afterExpiry), 'key_expired'],
    ['rotate: overlap too long', [issued], rotate(eightDays), 'overlap_out_of_range'],
    ['rotate: overlap before the rotation', [issued], rotate('2026-05-31T23:59:59.999Z'), 'overlap_out_of_range'],
    ['revoke: key_unknown', [], revoke, 'key_unknown'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('rejects an invalid time', () => {
    given(issued)
      .when({ ...revoke, data: { keyId, revokedAt: 'soon' } })
      .thenThrows(/not a time: soon/);
  });

  it('returns the current key', () => {
    expect(apiKeyAnswer(stateAfter(issued, revoked))).toEqual({
      keyId,
      companyId: issued.data.companyId,
      environment: 'sandbox',
      expiresAt,
      revokedAt: revoke.data.revokedAt,
    });
  });
});

describe('Valid secrets', () => {
  const justBefore = '2026-06-01T23:59:59.999Z';

  it('are the old and the new one during the overlap, then the new one up to the expiry', () => {
    const key = stateAfter(issued, rotated(nextDay));
    expect(validSecrets(key, justBefore)).toEqual(['hash-1', 'hash-2']);
    expect(validSecrets(key, nextDay)).toEqual(['hash-2']);
    expect(validSecrets(key, '2026-12-31T23:59:59.999Z')).toEqual(['hash-2']);
    expect(validSecrets(key, expiresAt)).toEqual([]);
  });

  it('exclude older ones after a rotation without overlap, even if an earlier overlap was still running', () => {
    const emergency = { ...rotation, secretHash: 'hash-3', rotatedAt: justBefore, overlapUntil: justBefore };
    const key = stateAfter(issued, rotated(nextDay), { type: 'ApiKeyRotated', data: emergency });
    expect(validSecrets(key, justBefore)).toEqual(['hash-3']);
  });

  it('are none for an unknown or revoked key, even at a time before the revocation', () => {
    expect(validSecrets(undefined, issuedAt)).toEqual([]);
    expect(validSecrets(stateAfter(issued, revoked), issuedAt)).toEqual([]);
  });
});
