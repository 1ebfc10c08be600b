import { bootstrapOperatorId, type OperatorRole, rolesWith } from '@florin/companies-domain';
import { CLOCK } from '@florin/event-sourcing';
import { type Clock, sha256 } from '@florin/kernel';
import { OperatorQueries, type OperatorView } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors/api-error';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';
import { batchLoader, type LoadKey } from './batch-loader';
import { bearerToken, challenge } from './bearer';
import { hasOperatorTokenFormat } from './operator-token';

/** The operator who sent a request. */
export interface OperatorIdentity {
  readonly id: string;
  readonly role: OperatorRole;
}

/** The operator with FLORIN_OPERATOR_TOKEN. It has no name, and only the configuration can disable it. */
export const bootstrapOperator: OperatorIdentity = { id: bootstrapOperatorId, role: 'admin' };

interface OperatorRecord extends OperatorIdentity {
  /** When the read began: the record does not contain later writes. */
  readonly readAt: number;
}

const maxAgeMs = 1_000;
const maxRecords = 1_000;

/**
 * Identifies operators by their tokens. A record is cached for a second, so a rotation or a disabled operator takes effect
 * on every replica a second later. A role is never denied from the cache alone, because it can be granted meanwhile.
 */
@Injectable()
export class OperatorAuthenticator {
  private readonly records = new LRUCache<string, OperatorRecord>({ max: maxRecords });
  /** Shows every write that was acknowledged before the call. */
  private readonly lookUp: LoadKey<OperatorView> = batchLoader((hashes) => this.operators.findByTokenHashes(hashes), {
    joinRunningRead: false,
  });
  private readonly bootstrapHash: string;
  private generation = 0;

  constructor(
    private readonly operators: OperatorQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(HTTP_API_OPTIONS) { operatorToken }: HttpApiOptions,
  ) {
    this.bootstrapHash = sha256(operatorToken);
  }

  /** The operator of an `Authorization` header. Rejects with 401, or with 403 if the operator's role does not suffice. */
  async authorize(authorization: string | undefined, needed: OperatorRole): Promise<OperatorIdentity> {
    const token = bearerToken(authorization);
    if (token === undefined) throw invalidToken('Send the operator token as "Authorization: Bearer <token>".');
    const hash = sha256(token);
    // Compares hashes, so that the time of a comparison reveals neither the length nor a prefix of the token.
    if (timingSafeEqual(Buffer.from(hash), Buffer.from(this.bootstrapHash))) return bootstrapOperator;
    if (!hasOperatorTokenFormat(token)) throw unknownToken();
    const cached = this.findCached(hash);
    if (cached !== undefined && mayDo(cached, needed)) return cached;
    const operator = await this.read(hash);
    if (mayDo(operator, needed)) return operator;
    const roles = rolesWith(needed).join(' or ');
    throw new ApiError('scope_missing', `This request requires the role ${roles}; yours is ${operator.role}.`);
  }

  /** Call after a write of this process: nothing read before it is used any more. */
  evictAll(): void {
    this.generation += 1;
    this.records.clear();
  }

  private findCached(hash: string): OperatorRecord | undefined {
    const record = this.records.get(hash);
    if (record === undefined) return undefined;
    const age = this.now() - record.readAt;
    // A negative age means that the clock was set back, which must not extend the life of a record.
    return age < 0 || age >= maxAgeMs ? undefined : record;
  }

  /** With every write that was acknowledged before this call. Unknown tokens are not cached: clients can invent any number. */
  private async read(hash: string): Promise<OperatorRecord> {
    const { generation } = this;
    const readAt = this.now();
    const operator = await this.lookUp(hash);
    if (operator === undefined || operator.disabledAt !== undefined) {
      this.records.delete(hash);
      throw operator === undefined
        ? unknownToken()
        : invalidToken('This operator is disabled: ask an admin for access.');
    }
    const record = { id: operator.operatorId, role: operator.role, readAt };
    // A read that began before an eviction must not restore what was evicted.
    if (generation === this.generation) this.records.set(hash, record);
    return record;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function mayDo({ role }: OperatorIdentity, needed: OperatorRole): boolean {
  return rolesWith(needed).includes(role);
}

function unknownToken(): ApiError {
  return invalidToken('This operator token is unknown: check that it was copied completely and not rotated.');
}

function invalidToken(message: string): ApiError {
  return new ApiError('invalid_key', message, challenge);
}
