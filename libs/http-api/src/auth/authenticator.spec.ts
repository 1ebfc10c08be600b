import { manualClock, type ManualClock, until } from '@florin/kernel/testing';
import type { CompanyQueries } from '@florin/read-models';
import { initialTime, TestKeys } from '../testing/test-app';
import { generateApiKey } from './api-key';
import { Authenticator } from './authenticator';
import type { KeyRecord } from './key-record';

let keys: TestKeys;
let clock: ManualClock;
let authenticator: Authenticator;
let key: string;

beforeEach(() => {
  keys = new TestKeys();
  clock = manualClock(initialTime);
  authenticator = new Authenticator(keys as unknown as CompanyQueries, clock);
  key = keys.add();
});

const identify = async (bearer = key): Promise<KeyRecord> => authenticator.identify(`Bearer ${bearer}`);

/** The keys are in memory, so a background read ends in the same event-loop iteration. */
const untilRead = (times: number): Promise<void> => until(() => keys.reads >= times);

describe('The authenticator', () => {
  it('reads a key once and caches it', async () => {
    const { caller } = await identify();
    expect(caller).toMatchObject({ companyName: 'Acme', environment: 'sandbox' });
    expect(authenticator.identify(`Bearer ${key}`)).not.toBeInstanceOf(Promise);
    expect(keys.reads).toBe(1);
  });

  it('applies a revocation by another replica within a second', async () => {
    await identify();
    keys.change(key, { revokedAt: initialTime });
    clock.advance(1_000);
    await expect(identify()).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('refreshes a record in the background before it expires', async () => {
    await identify();
    clock.advance(500);
    expect(authenticator.identify(`Bearer ${key}`)).not.toBeInstanceOf(Promise);
    await untilRead(2);
    clock.advance(500);
    expect(authenticator.identify(`Bearer ${key}`)).not.toBeInstanceOf(Promise);
    await untilRead(3);
  });

  it('ignores a failed refresh, and reports the failure to a request that has to wait', async () => {
    await identify();
    keys.findBySecretHashes = () => {
      keys.reads += 1;
      return Promise.reject(new Error('The database is down'));
    };
    clock.advance(500);
    await expect(identify()).resolves.toBeDefined();
    await untilRead(2);
    clock.advance(500);
    await expect(identify()).rejects.toThrow('The database is down');
  });

  it('does not extend the life of a record when the clock is set back', async () => {
    await identify();
    keys.change(key, { revokedAt: initialTime });
    clock.advance(-60_000);
    await expect(identify()).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('expires a key and a rotated secret to the millisecond', async () => {
    keys.change(key, { secretValidUntil: '2026-01-01T00:00:00.400Z' });
    clock.advance(399);
    await identify();
    clock.advance(1);
    await expect(identify()).rejects.toMatchObject({
      code: 'invalid_key',
      message: expect.stringMatching(/expired/) as string,
    });
  });

  it('rejects a key whose newest events cannot be read: one of them may have revoked it', async () => {
    keys.change(key, { isOutdated: true });
    await expect(identify()).rejects.toMatchObject({ code: 'unavailable', statusCode: 503 });
  });

  it('evicts every record after a write of this process', async () => {
    await identify();
    keys.change(key, { revokedAt: initialTime });
    authenticator.evictAll();
    await expect(identify()).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('does not cache a read that began before an eviction', async () => {
    const { secretHash } = await identify();
    const before = await keys.findBySecretHashes([secretHash]);
    let finish: (() => void) | undefined;
    keys.findBySecretHashes = () => new Promise((resolve) => (finish = () => resolve(before)));
    authenticator.evictAll();
    const slow = identify();
    while (finish === undefined) await new Promise(setImmediate);
    authenticator.evictAll();
    finish();
    await slow;
    keys.findBySecretHashes = async () =>
      new Map([[secretHash, { ...before.get(secretHash)!, revokedAt: initialTime }]]);
    await expect(identify()).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('reads again on demand and returns the permissions granted meanwhile', async () => {
    keys.change(key, { verification: 'pending' });
    const record = await identify();
    keys.change(key, { verification: 'approved' });
    expect((await authenticator.readAgain(record)).view.verification).toBe('approved');
  });
});

describe('An unknown key', () => {
  it.each(['nonsense', `fl_test_${'0'.repeat(49)}`])(
    'is rejected without a read if its checksum is wrong: %s',
    async (bearer) => {
      await expect(identify(bearer)).rejects.toMatchObject({ code: 'invalid_key' });
      expect(keys.reads).toBe(0);
    },
  );

  it('is not cached, so it works as soon as it exists', async () => {
    const other = new TestKeys();
    const created = other.add();
    await expect(identify(created)).rejects.toMatchObject({ code: 'invalid_key' });
    for (const [hash, view] of other.views) keys.views.set(hash, view);
    await expect(identify(created)).resolves.toBeDefined();
  });

  it('does not delay valid keys, even with 500 unknown keys at once', async () => {
    const guesses = Array.from({ length: 500 }, () => identify(generateApiKey('sandbox').key));
    const results = await Promise.allSettled([...guesses, identify(), identify(keys.add())]);
    for (const result of results.slice(0, 500)) expect(result).toMatchObject({ reason: { code: 'invalid_key' } });
    for (const result of results.slice(500)) expect(result).toMatchObject({ status: 'fulfilled' });
    expect(keys.reads).toBeLessThan(5);
  });
});
