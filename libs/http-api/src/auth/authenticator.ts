import { type Clock, sha256 } from '@florin/kernel';
import type { ApiKeyView } from '@florin/read-models';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors/api-error';
import { hasKeyFormat } from './api-key';
import { bearerToken, challenge } from './bearer';
import { GatheredReads } from './gathered-reads';
import { type KeyRecord, keyRecord } from './key-record';

export interface AuthenticatorOptions {
  /** What it finds shows every write that was acknowledged before it was called, or so many milliseconds earlier. */
  readonly keys: {
    findBySecretHashes(secretHashes: readonly string[], maxAgeMs?: number): Promise<ReadonlyMap<string, ApiKeyView>>;
  };
  readonly clock: Clock;
  /** How long keys that are to be read again are gathered; less than what is left of a record's life by then. */
  readonly gatherRefreshesMs?: number;
}

const maximumAgeMs = 1_000;
const refreshAgeMs = 500;
/** What is only looked at again may be a little older: waiting for the very last write would cost every busy key dearly. */
const refreshLagMs = 1_000;
const maximumRecords = 50_000;

/**
 * Finds out whose key it is. Records are kept for a second and may be a second old when they are read again, so that a
 * grant may rest on what was true two seconds ago: a revocation is in force everywhere well within its five seconds.
 * What can be granted later is never denied from memory alone.
 */
export class Authenticator {
  private readonly records = new LRUCache<string, KeyRecord>({ max: maximumRecords });
  /** Shows every write that was acknowledged before. */
  private readonly lookUps = new GatheredReads((hashes) => this.read(hashes, 0));
  private readonly overdueReads = new GatheredReads((hashes) => this.read(hashes, refreshLagMs));
  /**
   * Ahead of time, so that no request has to wait. Busy keys come due one by one, and a read for each would cost more
   * than the rest of their authentication.
   */
  private readonly refreshes: GatheredReads<KeyRecord>;
  private generation = 0;

  constructor(private readonly options: AuthenticatorOptions) {
    this.refreshes = new GatheredReads((hashes) => this.read(hashes, refreshLagMs), options.gatherRefreshesMs ?? 100);
  }

  /** The valid key behind an `Authorization` header; at once where it is remembered, else it may reject with 401. */
  identify(authorization: string | undefined): KeyRecord | Promise<KeyRecord> {
    try {
      return this.find(authorization);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** The same key once more, with every write in it that was acknowledged before this call. */
  async readAgain({ secretHash }: KeyRecord): Promise<KeyRecord> {
    return this.admit(await this.lookUps.next(secretHash));
  }

  /** After a write of ours: from now on nothing rests on what was read before it. */
  evictAll(): void {
    this.generation += 1;
    this.records.clear();
  }

  private find(authorization: string | undefined): KeyRecord | Promise<KeyRecord> {
    const token = bearerToken(authorization);
    if (token === undefined) throw invalidKey('Send your API key as "Authorization: Bearer <key>".');
    const hash = sha256(token);
    const remembered = this.records.get(hash);
    if (remembered === undefined) {
      if (!hasKeyFormat(token)) throw unknownKey();
      // Who is unknown is not remembered, because anybody can invent keys.
      return this.lookUps.next(hash).then((record) => this.admit(record));
    }
    const age = this.now() - remembered.readAt;
    // A clock that was set back must not make an old record young again.
    if (age >= maximumAgeMs || age < 0) return this.overdueReads.join(hash).then((record) => this.admit(record));
    // Where it fails, the next request that must read will tell.
    if (age >= refreshAgeMs) this.refreshes.join(hash).catch(() => undefined);
    return this.admit(remembered);
  }

  /** None of these denials needs another look: nothing brings a revoked or expired secret back. */
  private admit(record: KeyRecord | undefined): KeyRecord {
    if (record === undefined) throw unknownKey();
    if (record.view.revokedAt !== null) throw invalidKey('This API key is revoked: create a new one.');
    if (this.now() >= record.validUntil) throw invalidKey('This API key has expired: create a new one.');
    return record;
  }

  private async read(hashes: readonly string[], maxAgeMs: number): Promise<ReadonlyMap<string, KeyRecord>> {
    const { generation } = this;
    const readAt = this.now();
    const views = await this.options.keys.findBySecretHashes(hashes, maxAgeMs);
    const records = new Map<string, KeyRecord>();
    for (const [hash, view] of views) records.set(hash, this.remember(keyRecord(hash, view, readAt), generation));
    return records;
  }

  /** A read from before an eviction must not bring back what was evicted. */
  private remember(record: KeyRecord, generation: number): KeyRecord {
    if (generation === this.generation) this.records.set(record.secretHash, record);
    return record;
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }
}

function unknownKey(): ApiError {
  return invalidKey('This API key is not known: check that it was copied completely.');
}

function invalidKey(message: string): ApiError {
  return new ApiError('invalid_key', message, challenge);
}
