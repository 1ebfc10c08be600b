import { randomUUID } from 'node:crypto';
import type {
  ClaimedDelivery,
  ClaimWish,
  DeliveryQueue,
  FailingEndpoint,
  Settlement,
} from '@florin/webhooks-application';
import type { ClientConfig, Pool } from 'pg';
import { DeliveryNews } from './delivery-news';
import { claimDue, receivers, settleAttempts, waitingEndpoints } from './queue-statements';

const firstEndpoint = '00000000-0000-0000-0000-000000000000';
/** Endpoints that are looked at for one claim. The next claim goes on behind them. */
const mostEndpoints = 1_000;

interface ClaimedRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly attempts: number;
  readonly body: string;
}

interface ReceiverRow {
  readonly id: string;
  readonly account_id: string;
  readonly environment: 'sandbox' | 'live';
  readonly url: string;
  readonly secrets: readonly string[];
}

/** The queue in the schema `webhooks`, which the projection of the same name fills. */
export class PostgresDeliveryQueue implements DeliveryQueue {
  /** Where the last claim has ended: endpoints take turns also when there are too many for one claim. */
  private after = firstEndpoint;

  constructor(
    private readonly pool: Pool,
    /** For the one connection on which news are heard. */
    private readonly connection: ClientConfig,
  ) {}

  async claim(wish: ClaimWish): Promise<readonly ClaimedDelivery[]> {
    const began = this.after;
    const claimed = await this.claimOnward(wish);
    const turnedRound = began !== firstEndpoint && this.after === firstEndpoint;
    return claimed.length === 0 && turnedRound ? this.claimOnward(wish) : claimed;
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly FailingEndpoint[]> {
    const { rows } = await this.pool.query<{ endpoint_id: string; failing_since: Date }>({
      name: 'settle-webhook-attempts',
      text: settleAttempts,
      values: columnsOf(settlements),
    });
    return rows.map(({ endpoint_id, failing_since }) => ({ endpointId: endpoint_id, since: failing_since }));
  }

  async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    await this.pool.query(
      `UPDATE webhooks.deliveries d SET claimed_until = NULL, claimed_by = NULL
       FROM unnest($1::uuid[], $2::text[]) AS given (id, claim) WHERE d.id = given.id AND d.claimed_by = given.claim`,
      [deliveries.map(({ id }) => id), deliveries.map(({ claim }) => claim)],
    );
  }

  async nextDueAt(now: Date): Promise<Date | undefined> {
    const { rows } = await this.pool.query<{ due: Date }>(
      `SELECT next_attempt_at AS due FROM webhooks.deliveries
       WHERE status = 'pending' AND (claimed_until IS NULL OR claimed_until <= $1) ORDER BY next_attempt_at LIMIT 1`,
      [now],
    );
    return rows[0]?.due;
  }

  listen(onNews: () => void): () => Promise<void> {
    const news = new DeliveryNews(this.connection, onNews);
    return () => news.close();
  }

  private async claimOnward(wish: ClaimWish): Promise<readonly ClaimedDelivery[]> {
    const endpoints = await this.waiting();
    this.after = endpoints.length === mostEndpoints ? endpoints.at(-1)! : firstEndpoint;
    const wanted = endpoints.map((id) => ({ id, room: wish.roomOf(id) })).filter(({ room }) => room > 0);
    if (wanted.length === 0) return [];
    const ids = wanted.map(({ id }) => id);
    // All get some of what one claim can hold, instead of a few getting all they have room for.
    const share = Math.ceil(wish.limit / wanted.length);
    const rooms = wanted.map(({ room }) => Math.min(room, share));
    const claim = randomUUID();
    const [{ rows }, known] = await Promise.all([
      this.pool.query<ClaimedRow>({
        name: 'claim-webhook-deliveries',
        text: claimDue,
        values: [ids, rooms, wish.now, wish.limit, wish.until, claim],
      }),
      this.receivers(ids, wish.now),
    ]);
    if (rows.length === wish.limit) this.after = rows.at(-1)!.endpoint_id;
    return rows.flatMap((row): ClaimedDelivery[] => {
      const receiver = known.get(row.endpoint_id);
      // What cannot be signed, because its endpoint was deleted this very moment, is left to its end.
      return receiver ? [deliveryOf(row, receiver, claim, wish.until)] : [];
    });
  }

  private async waiting(): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>({
      name: 'webhook-endpoints-waiting',
      text: waitingEndpoints,
      values: [this.after, mostEndpoints],
    });
    return rows.map(({ id }) => id);
  }

  /** Those that there is a secret to sign with. */
  private async receivers(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, ReceiverRow>> {
    const { rows } = await this.pool.query<ReceiverRow>({
      name: 'webhook-receivers',
      text: receivers,
      values: [endpointIds, now],
    });
    return new Map(rows.filter(({ secrets }) => secrets.length > 0).map((receiver) => [receiver.id, receiver]));
  }
}

function deliveryOf(row: ClaimedRow, receiver: ReceiverRow, claim: string, claimedUntil: Date): ClaimedDelivery {
  const { id, event_id: eventId, endpoint_id: endpointId, attempts, body } = row;
  const { account_id: accountId, environment, url, secrets } = receiver;
  return { id, eventId, endpointId, accountId, environment, url, body, secrets, attempts, claim, claimedUntil };
}

/** The driver would look at every single value for characters to escape, and most of them can have none. */
function columnsOf(settlements: readonly Settlement[]): unknown[] {
  const plain = (valueOf: (settlement: Settlement) => string | number | undefined): string =>
    `{${settlements.map((settlement) => valueOf(settlement) ?? 'NULL').join()}}`;
  return [
    plain(({ delivery }) => delivery.id),
    plain(({ delivery }) => delivery.claim),
    plain(({ status }) => status),
    plain(({ nextAttemptAt }) => nextAttemptAt?.toISOString()),
    plain(({ at }) => at.toISOString()),
    plain(({ result }) => result.durationMs),
    plain(({ result }) => result.statusCode),
    plain(({ result }) => result.outcome),
    settlements.map(({ result }) => result.error ?? null),
    settlements.map(({ result }) => result.excerpt ?? null),
  ];
}
