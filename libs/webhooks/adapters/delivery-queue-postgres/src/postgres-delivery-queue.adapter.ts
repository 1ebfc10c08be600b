import { randomUUID } from 'node:crypto';
import type {
  ClaimedDelivery,
  ClaimRequest,
  DeliveryQueue,
  FailingEndpoint,
  EndpointTarget,
  AttemptRecord,
} from '@florin/webhooks-application';
import type { ClientConfig, Pool } from 'pg';
import { DeliveryListener } from './delivery-listener';
import { EndpointClaims, type EndpointClaim } from './endpoint-claims';
import {
  type DueDelivery,
  QueueReads,
  type SecretReading,
  type StoredTarget,
  type WaitingEndpoint,
} from './queue-reads';
import { claimEndpoints, releaseEndpoints } from './queue-statements';
import { storeAcknowledged, storeUnacknowledged } from './record-attempt-statements';
import { acknowledgedColumns, unacknowledgedColumns } from './attempt-record-columns';

const firstEndpoint = '00000000-0000-0000-0000-000000000000';
/** The number of endpoints read for one claim. The next claim continues after them. */
const maxEndpoints = 1_000;

interface Wanted {
  readonly id: string;
  readonly capacity: number;
}

/**
 * The queue in the schema `webhooks`, which the projection of the same name fills. The claim covers a whole endpoint for as
 * long as deliveries of it are in flight, so that a delivery is written only once, when its attempt is recorded.
 */
export class PostgresDeliveryQueue implements DeliveryQueue {
  private readonly reads: QueueReads;
  private readonly claims = new EndpointClaims();
  /** The last endpoint of the previous claim: with many endpoints, each claim serves the next ones. */
  private after = firstEndpoint;
  private lastTask: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    /** For the connection of the listener. */
    private readonly connection: ClientConfig,
    secretReading: SecretReading,
  ) {
    this.reads = new QueueReads(pool, secretReading);
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]> {
    return this.serialize(async () => {
      this.claims.forgetExpired(request.now);
      const startedAfter = this.after;
      const claimed = await this.claimNext(request);
      const wrapped = startedAfter !== firstEndpoint && this.after === firstEndpoint;
      return claimed.length === 0 && wrapped ? this.claimNext(request) : claimed;
    });
  }

  async recordAttempts(records: readonly AttemptRecord[]): Promise<readonly FailingEndpoint[]> {
    return this.serialize(async () => {
      const failing = await this.store(records);
      this.claims.complete(records.map(({ delivery }) => delivery));
      await this.releaseIdle();
      return failing;
    });
  }

  async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    await this.serialize(async () => {
      this.claims.release(deliveries);
      await this.releaseIdle();
    });
  }

  async targets(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, EndpointTarget>> {
    return this.reads.targets(endpointIds, now);
  }

  async nextDueAt(now: Date): Promise<Date | undefined> {
    const waiting = await this.reads.waiting(firstEndpoint);
    const times = waiting.filter((endpoint) => isFree(endpoint, now)).map(({ dueAt }) => dueAt.getTime());
    return times.length > 0 ? new Date(times.reduce((one, other) => Math.min(one, other))) : undefined;
  }

  listen(onDeliveriesAdded: () => void): () => Promise<void> {
    const listener = new DeliveryListener(this.connection, onDeliveriesAdded);
    return () => listener.close();
  }

  /** Runs tasks one after another, so that no endpoint is released while more of its deliveries are being taken. */
  private async serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.lastTask.then(work);
    this.lastTask = result.catch(() => undefined);
    return result;
  }

  private async claimNext(request: ClaimRequest): Promise<readonly ClaimedDelivery[]> {
    const seen = await this.reads.waiting(this.after, maxEndpoints);
    const all = seen.map((endpoint) => ({ id: endpoint.id, capacity: this.capacityAt(endpoint, request) }));
    const wanted = all.filter(({ capacity }) => capacity > 0);
    const served = wanted.slice(0, request.limit);
    const last = served.length < wanted.length ? served.at(-1) : seen[maxEndpoints - 1];
    this.after = last?.id ?? firstEndpoint;
    await this.claimUnclaimed(served, request);
    const claimed = await this.take(served, request);
    await this.releaseIdle();
    return claimed;
  }

  private capacityAt(endpoint: WaitingEndpoint, request: ClaimRequest): number {
    const claimed = this.claims.get(endpoint.id);
    if (endpoint.dueAt > request.now || !(claimed || isFree(endpoint, request.now))) return 0;
    if (!claimed) return request.capacityOf(endpoint.id);
    // A notification led to this claim: the new delivery may be before the position of the existing claim.
    claimed.mayHaveMore = true;
    const capacity = this.claims.capacityLeft(claimed, request.now);
    return capacity > 0 ? Math.min(request.capacityOf(endpoint.id), capacity) : 0;
  }

  /** Claims endpoints without a claim. If several replicas try, one succeeds. */
  private async claimUnclaimed(wanted: readonly Wanted[], request: ClaimRequest): Promise<void> {
    const ids = wanted.map(({ id }) => id).filter((id) => !this.claims.get(id));
    if (ids.length === 0) return;
    const claim = randomUUID();
    const query = {
      name: 'claim-webhook-endpoints',
      text: claimEndpoints,
      values: [ids, claim, request.until, request.now],
    };
    const { rows } = await this.pool.query<{ id: string }>(query);
    for (const { id } of rows) this.claims.add(id, claim, request);
  }

  private async take(wanted: readonly Wanted[], { now, limit }: ClaimRequest): Promise<readonly ClaimedDelivery[]> {
    // Every endpoint gets a share of the limit, instead of a few endpoints getting their full capacity.
    const share = Math.floor(limit / wanted.length);
    const queries = wanted.flatMap(({ id, capacity }) => {
      const claimed = this.claims.get(id);
      return claimed ? [{ claimed, capacity: Math.min(capacity, share, claimed.maxTaken) }] : [];
    });
    if (queries.length === 0) return [];
    const ids = queries.map(({ claimed }) => claimed.endpointId);
    const [known, due] = await Promise.all([this.reads.targets(ids, now), this.reads.due(queries, now)]);
    return queries.flatMap(({ claimed, capacity }, index) => {
      const [target, rows] = [known.get(claimed.endpointId), due[index]!];
      this.claims.take(claimed, rows, capacity);
      if (target) return rows.map((row) => deliveryOf(row, target, claimed));
      // The endpoint was deleted or disabled a moment ago: its deliveries stay unsent until the claim expires.
      return [];
    });
  }

  /** Both statements are idempotent, so that a retry is safe when one of them fails. */
  private async store(records: readonly AttemptRecord[]): Promise<readonly FailingEndpoint[]> {
    const acknowledged = records.filter(({ status }) => status === 'delivered');
    const others = records.filter(({ status }) => status !== 'delivered');
    if (acknowledged.length > 0) {
      const values = acknowledgedColumns(acknowledged);
      await this.pool.query({ name: 'store-webhooks-acknowledged', text: storeAcknowledged, values });
    }
    if (others.length === 0) return [];
    const acknowledging = [...new Set(acknowledged.map(({ delivery }) => delivery.endpointId))];
    const values = [...unacknowledgedColumns(others), acknowledging];
    const query = { name: 'store-webhooks-unacknowledged', text: storeUnacknowledged, values };
    return (await this.pool.query<FailingEndpoint>(query)).rows;
  }

  /** Notifies all replicas when more deliveries may wait, so that one with capacity claims them. */
  private async releaseIdle(): Promise<void> {
    const idle = this.claims.idle();
    if (idle.length === 0) return;
    const ids = idle.map(({ endpointId }) => endpointId);
    const values = [ids, idle.map(({ claim }) => claim)];
    await this.pool.query({ name: 'release-webhook-endpoints', text: releaseEndpoints, values });
    this.claims.forget(ids);
    if (idle.some(({ mayHaveMore }) => mayHaveMore)) await this.pool.query('NOTIFY webhook_deliveries');
  }
}

function isFree({ claimedUntil }: WaitingEndpoint, now: Date): boolean {
  return claimedUntil === null || claimedUntil <= now;
}

function deliveryOf(row: DueDelivery, target: StoredTarget, claimed: EndpointClaim): ClaimedDelivery {
  const { id, eventId, attempts, body } = row;
  const { endpointId, claim, until: claimedUntil } = claimed;
  const { accountId, environment, url, secrets, revision } = target;
  return {
    id,
    eventId,
    endpointId,
    accountId,
    environment,
    url,
    body,
    secrets,
    revision,
    attempts,
    claim,
    claimedUntil,
  };
}
