import type { ClaimedDelivery, Receiver } from '@florin/webhooks-application';
import type { Pool } from 'pg';
import type { Holding, Place } from './endpoint-holdings';
import { readDue, receivers, waitingEndpoints } from './queue-statements';

/** An endpoint that anything waits for, due or not. */
export interface WaitingEndpoint {
  readonly id: string;
  /** When its first delivery was or will be due. */
  readonly dueAt: Date;
  readonly claimedUntil: Date | null;
}

export type DueDelivery = Place & Pick<ClaimedDelivery, 'eventId' | 'attempts' | 'body'>;

export type StoredReceiver = { readonly id: string } & Receiver & Pick<ClaimedDelivery, 'accountId' | 'environment'>;

/** How many are asked for at an endpoint that is held. */
export interface Asked {
  readonly holding: Holding;
  readonly room: number;
}

export class QueueReads {
  constructor(private readonly pool: Pool) {}

  /** In the order of their ids; all of them where there is no limit. */
  async waiting(after: string, limit?: number): Promise<readonly WaitingEndpoint[]> {
    const query = { name: 'webhook-endpoints-waiting', text: waitingEndpoints, values: [after, limit] };
    return (await this.pool.query<WaitingEndpoint>(query)).rows;
  }

  /** Of each that is asked for, those that were due first at first. */
  async due(asked: readonly Asked[], now: Date): Promise<readonly (readonly DueDelivery[])[]> {
    const values = [
      asked.map(({ holding }) => holding.endpointId),
      asked.map(({ room }) => room),
      asked.map(({ holding }) => new Date(holding.after.dueAtMs)),
      asked.map(({ holding }) => holding.after.id),
      now,
    ];
    const query = { name: 'webhook-deliveries-due', text: readDue, values };
    const { rows } = await this.pool.query<DueDelivery & { readonly nth: number }>(query);
    const due: DueDelivery[][] = asked.map(() => []);
    for (const row of rows) due[row.nth - 1]!.push(row);
    return due;
  }

  /** Those that may be sent to and that there is a secret to sign with. */
  async receivers(endpointIds: readonly string[], now: Date): Promise<ReadonlyMap<string, StoredReceiver>> {
    const query = { name: 'webhook-receivers', text: receivers, values: [endpointIds, now] };
    const { rows } = await this.pool.query<StoredReceiver>(query);
    return new Map(rows.filter(({ secrets }) => secrets.length > 0).map((receiver) => [receiver.id, receiver]));
  }
}
