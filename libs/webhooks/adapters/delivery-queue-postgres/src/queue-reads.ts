import type { ClaimedDelivery, EndpointTarget } from '@florin/webhooks-application';
import type { Pool } from 'pg';
import type { EndpointClaim, QueuePosition } from './endpoint-claims';
import { readDue, targets, waitingEndpoints } from './queue-statements';

/** An endpoint with waiting deliveries, due or not. */
export interface WaitingEndpoint {
  readonly id: string;
  /** When its first delivery is due. */
  readonly dueAt: Date;
  readonly claimedUntil: Date | null;
}

export type DueDelivery = QueuePosition & Pick<ClaimedDelivery, 'eventId' | 'attempts' | 'body'>;

export type StoredTarget = { readonly id: string } & EndpointTarget &
  Pick<ClaimedDelivery, 'accountId' | 'environment'>;

/** The maximum number of deliveries to read for a claim. */
export interface DueQuery {
  readonly claimed: EndpointClaim;
  readonly capacity: number;
}

export class QueueReads {
  constructor(private readonly pool: Pool) {}

  /** Ordered by id; all endpoints without a limit. */
  async waiting(after: string, limit?: number): Promise<readonly WaitingEndpoint[]> {
    const query = { name: 'webhook-endpoints-waiting', text: waitingEndpoints, values: [after, limit] };
    return (await this.pool.query<WaitingEndpoint>(query)).rows;
  }

  /** The due deliveries of each query, the earliest first. */
  async due(queries: readonly DueQuery[], now: Date): Promise<readonly (readonly DueDelivery[])[]> {
    const values = [
      queries.map(({ claimed }) => claimed.endpointId),
      queries.map(({ capacity }) => capacity),
      queries.map(({ claimed }) => new Date(claimed.after.dueAtMs)),
      queries.map(({ claimed }) => claimed.after.id),
      now,
    ];
    const query = { name: 'webhook-deliveries-due', text: readDue, values };
    const { rows } = await this.pool.query<DueDelivery & { readonly nth: number }>(query);
    const due: DueDelivery[][] = queries.map(() => []);
    for (const row of rows) due[row.nth - 1]!.push(row);
    return due;
  }

  /** The endpoints that are enabled and have a secret. */
  async targets(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, StoredTarget>> {
    const query = { name: 'webhook-targets', text: targets, values: [endpointIds, now] };
    const { rows } = await this.pool.query<StoredTarget>(query);
    return new Map(rows.filter(({ secrets }) => secrets.length > 0).map((target) => [target.id, target]));
  }
}
