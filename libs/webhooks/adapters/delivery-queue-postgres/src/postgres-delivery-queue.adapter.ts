import { randomUUID } from 'node:crypto';
import type {
  ClaimedDelivery,
  ClaimWish,
  DeliveryQueue,
  FailingEndpoint,
  Receiver,
  Settlement,
} from '@florin/webhooks-application';
import type { ClientConfig, Pool } from 'pg';
import { DeliveryNews } from './delivery-news';
import { EndpointHoldings, type Holding } from './endpoint-holdings';
import { type DueDelivery, QueueReads, type StoredReceiver, type WaitingEndpoint } from './queue-reads';
import { claimEndpoints, giveEndpointsBack } from './queue-statements';
import { storeAcknowledged, storeUnacknowledged } from './settle-statements';
import { acknowledgedColumns, unacknowledgedColumns } from './settlement-columns';

const firstEndpoint = '00000000-0000-0000-0000-000000000000';
/** Endpoints that are looked at for one claim. The next claim goes on behind them. */
const mostEndpoints = 1_000;

interface Wanted {
  readonly id: string;
  readonly room: number;
}

/**
 * The queue in the schema `webhooks`, which the projection of the same name fills. An endpoint is claimed for as long as
 * anything of it is in hand, so that a delivery is only read before it is sent, and written once when it is settled.
 */
export class PostgresDeliveryQueue implements DeliveryQueue {
  private readonly reads: QueueReads;
  private readonly holdings = new EndpointHoldings();
  /** Where the last claim has ended: endpoints take turns also when there are too many for one claim. */
  private after = firstEndpoint;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    /** For the one connection on which news are heard. */
    private readonly connection: ClientConfig,
  ) {
    this.reads = new QueueReads(pool);
  }

  async claim(wish: ClaimWish): Promise<readonly ClaimedDelivery[]> {
    return this.inTurn(async () => {
      this.holdings.forgetPast(wish.now);
      const began = this.after;
      const claimed = await this.claimOnward(wish);
      const turnedRound = began !== firstEndpoint && this.after === firstEndpoint;
      return claimed.length === 0 && turnedRound ? this.claimOnward(wish) : claimed;
    });
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly FailingEndpoint[]> {
    return this.inTurn(async () => {
      const failing = await this.store(settlements);
      this.holdings.putDown(settlements.map(({ delivery }) => delivery));
      await this.giveIdleBack();
      return failing;
    });
  }

  async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    await this.inTurn(async () => {
      this.holdings.giveBack(deliveries);
      await this.giveIdleBack();
    });
  }

  async receivers(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Receiver>> {
    return this.reads.receivers(endpointIds, now);
  }

  async nextDueAt(now: Date): Promise<Date | undefined> {
    const waiting = await this.reads.waiting(firstEndpoint);
    const times = waiting.filter((endpoint) => isFree(endpoint, now)).map(({ dueAt }) => dueAt.getTime());
    return times.length > 0 ? new Date(times.reduce((one, other) => Math.min(one, other))) : undefined;
  }

  listen(onNews: () => void): () => Promise<void> {
    const news = new DeliveryNews(this.connection, onNews);
    return () => news.close();
  }

  /** One after the other, so that no endpoint is given back while more of it is being taken. */
  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async claimOnward(wish: ClaimWish): Promise<readonly ClaimedDelivery[]> {
    const seen = await this.reads.waiting(this.after, mostEndpoints);
    const all = seen.map((endpoint) => ({ id: endpoint.id, room: this.roomAt(endpoint, wish) }));
    const wanted = all.filter(({ room }) => room > 0);
    const served = wanted.slice(0, wish.limit);
    const last = served.length < wanted.length ? served.at(-1) : seen[mostEndpoints - 1];
    this.after = last?.id ?? firstEndpoint;
    await this.hold(served, wish);
    const claimed = await this.take(served, wish);
    await this.giveIdleBack();
    return claimed;
  }

  private roomAt(endpoint: WaitingEndpoint, wish: ClaimWish): number {
    const holding = this.holdings.get(endpoint.id);
    if (endpoint.dueAt > wish.now || !(holding || isFree(endpoint, wish.now))) return 0;
    if (!holding) return wish.roomOf(endpoint.id);
    // Whoever looks again has heard of something, which may have come to stand where this claim does not look any more.
    holding.mayHaveMore = true;
    const room = this.holdings.roomIn(holding, wish.now);
    return room > 0 ? Math.min(wish.roomOf(endpoint.id), room) : 0;
  }

  /** Claims those that are not held. Of several replicas who want the same one, one gets it. */
  private async hold(wanted: readonly Wanted[], wish: ClaimWish): Promise<void> {
    const ids = wanted.map(({ id }) => id).filter((id) => !this.holdings.get(id));
    if (ids.length === 0) return;
    const claim = randomUUID();
    const query = { name: 'claim-webhook-endpoints', text: claimEndpoints, values: [ids, claim, wish.until, wish.now] };
    const { rows } = await this.pool.query<{ id: string }>(query);
    for (const { id } of rows) this.holdings.add(id, claim, wish);
  }

  private async take(wanted: readonly Wanted[], { now, limit }: ClaimWish): Promise<readonly ClaimedDelivery[]> {
    // All get some of what one claim can hold, instead of a few getting all they have room for.
    const share = Math.floor(limit / wanted.length);
    const asked = wanted.flatMap(({ id, room }) => {
      const holding = this.holdings.get(id);
      return holding ? [{ holding, room: Math.min(room, share, holding.most) }] : [];
    });
    if (asked.length === 0) return [];
    const ids = asked.map(({ holding }) => holding.endpointId);
    const [known, due] = await Promise.all([this.reads.receivers(ids, now), this.reads.due(asked, now)]);
    return asked.flatMap(({ holding, room }, index) => {
      const [receiver, rows] = [known.get(holding.endpointId), due[index]!];
      this.holdings.take(holding, rows, room);
      if (receiver) return rows.map((row) => deliveryOf(row, receiver, holding));
      // What cannot be signed, because its endpoint was deleted or disabled this very moment, is left until the claim ends.
      return [];
    });
  }

  /** Each of both can be repeated where the other fails: neither stores anything twice. */
  private async store(settlements: readonly Settlement[]): Promise<readonly FailingEndpoint[]> {
    const acknowledged = settlements.filter(({ status }) => status === 'delivered');
    const others = settlements.filter(({ status }) => status !== 'delivered');
    if (acknowledged.length > 0) {
      const values = acknowledgedColumns(acknowledged);
      await this.pool.query({ name: 'store-webhooks-acknowledged', text: storeAcknowledged, values });
    }
    if (others.length === 0) return [];
    const healthy = [...new Set(acknowledged.map(({ delivery }) => delivery.endpointId))];
    const values = [...unacknowledgedColumns(others), healthy];
    const query = { name: 'store-webhooks-unacknowledged', text: storeUnacknowledged, values };
    return (await this.pool.query<FailingEndpoint>(query)).rows;
  }

  /** Where more may wait, everybody is told: whoever has room now takes the next turn. */
  private async giveIdleBack(): Promise<void> {
    const idle = this.holdings.idle();
    if (idle.length === 0) return;
    const ids = idle.map(({ endpointId }) => endpointId);
    const values = [ids, idle.map(({ claim }) => claim)];
    await this.pool.query({ name: 'give-webhook-endpoints-back', text: giveEndpointsBack, values });
    this.holdings.forget(ids);
    if (idle.some(({ mayHaveMore }) => mayHaveMore)) await this.pool.query('NOTIFY webhook_deliveries');
  }
}

function isFree({ claimedUntil }: WaitingEndpoint, now: Date): boolean {
  return claimedUntil === null || claimedUntil <= now;
}

function deliveryOf(row: DueDelivery, receiver: StoredReceiver, holding: Holding): ClaimedDelivery {
  const { id, eventId, attempts, body } = row;
  const { endpointId, claim, until: claimedUntil } = holding;
  const { accountId, environment, url, secrets, revision } = receiver;
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
