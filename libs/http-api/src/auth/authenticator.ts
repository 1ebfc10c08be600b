import { CLOCK } from '@florin/event-sourcing';
import { type Clock, sha256 } from '@florin/kernel';
import { CompanyQueries } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors/api-error';
import { hasKeyFormat } from './api-key';
import { batchLoader, type LoadKey } from './batch-loader';
import { bearerToken, challenge } from './bearer';
import { type KeyRecord, keyRecord } from './key-record';

const maxAgeMs = 1_000;
const refreshAgeMs = 500;
/** How long keys to refresh are collected; less than the remaining lifetime of a record at that point. */
const collectRefreshesMs = 100;
/** A refresh may be a little stale: waiting for the latest write would slow down every busy key. */
const refreshLagMs = 1_000;
const maxRecords = 50_000;

/**
 * Identifies API keys. A record is cached for a second and may be a second stale when it is refreshed, so a request can be
 * authorized on data two seconds old: a revocation takes effect everywhere well within the documented five seconds.
 * A permission that can be granted later is never denied from the cache alone.
 */
@Injectable()
export class Authenticator {
  private readonly records = new LRUCache<string, KeyRecord>({ max: maxRecords });
  /** Shows every write that was acknowledged before the call. */
  private readonly lookUp: LoadKey<KeyRecord> = batchLoader((hashes) => this.read(hashes, 0), {
    joinRunningRead: false,
  });
  private readonly readOverdue: LoadKey<KeyRecord> = batchLoader((hashes) => this.read(hashes, refreshLagMs), {
    joinRunningRead: true,
  });
  /** Ahead of time, so that no request waits. Collected, because one read per busy key would cost too much. */
  private readonly readAhead: LoadKey<KeyRecord> = batchLoader((hashes) => this.read(hashes, refreshLagMs), {
    joinRunningRead: true,
    collectMs: collectRefreshesMs,
  });
  private generation = 0;

  constructor(
    private readonly keys: CompanyQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The valid key of an `Authorization` header: synchronously if it is cached, else a promise that can reject with 401. */
  identify(authorization: string | undefined): KeyRecord | Promise<KeyRecord> {
    try {
      return this.find(authorization);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** Reads the key again, with every write that was acknowledged before this call. */
  async readAgain({ secretHash }: KeyRecord): Promise<KeyRecord> {
    return this.validate(await this.lookUp(secretHash));
  }

  /** Call after a write of this process: nothing read before it is used any more. */
  evictAll(): void {
    this.generation += 1;
    this.records.clear();
  }

  private find(authorization: string | undefined): KeyRecord | Promise<KeyRecord> {
    const token = bearerToken(authorization);
    if (token === undefined) throw invalidKey('Send your API key as "Authorization: Bearer <key>".');
    const hash = sha256(token);
    const cached = this.records.get(hash);
    if (cached === undefined) {
      if (!hasKeyFormat(token)) throw unknownKey();
      // Unknown keys are not cached: clients can invent any number of them.
      return this.lookUp(hash).then((record) => this.validate(record));
    }
    const age = this.now() - cached.readAt;
    // A negative age means that the clock was set back, which must not extend the life of a record.
    if (age >= maxAgeMs || age < 0) return this.readOverdue(hash).then((record) => this.validate(record));
    if (age >= refreshAgeMs) this.refresh(cached);
    return this.validate(cached);
  }

  private refresh(record: KeyRecord): void {
    if (record.refreshing) return;
    record.refreshing = true;
    // After a failure the record expires, and the next request waits for the read and reports its error.
    this.readAhead(record.secretHash).catch(() => undefined);
  }

  /** These denials need no second read: a revoked or expired secret never becomes valid again. */
  private validate(record: KeyRecord | undefined): KeyRecord {
    if (record === undefined) throw unknownKey();
    if (record.view.isOutdated) throw new ApiError('unavailable', outdatedKey, { 'retry-after': '60' });
    if (record.view.revokedAt !== null) throw invalidKey('This API key is revoked: create a new one.');
    if (this.now() >= record.validUntil) throw invalidKey('This API key has expired: create a new one.');
    return record;
  }

  private async read(hashes: readonly string[], staleMs: number): Promise<ReadonlyMap<string, KeyRecord>> {
    const { generation } = this;
    const readAt = this.now();
    const views = await this.keys.findBySecretHashes(hashes, staleMs);
    const records = new Map<string, KeyRecord>();
    for (const [hash, view] of views) {
      const record = keyRecord(hash, view, readAt);
      records.set(hash, record);
      // A read that began before an eviction must not restore what was evicted.
      if (generation === this.generation) this.records.set(hash, record);
    }
    return records;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

const outdatedKey =
  'A newer release of Florin has changed this API key or its company, and this release cannot read it: retry after the next upgrade.';

function unknownKey(): ApiError {
  return invalidKey('This API key is unknown: check that it was copied completely.');
}

function invalidKey(message: string): ApiError {
  return new ApiError('invalid_key', message, challenge);
}
