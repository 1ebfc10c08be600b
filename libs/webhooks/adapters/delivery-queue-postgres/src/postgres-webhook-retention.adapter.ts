import type { PurgeRequest, WebhookRetention } from '@florin/webhooks-application';
import { eventIdsAt } from '@florin/webhooks-domain';
import type { Pool } from 'pg';
import { inTransaction } from './in-transaction';
import { mayPurge, purgeCompactEvents, purgeDeliveries, purgeEvents } from './retention-statements';

/** Purges the tables of the schema `webhooks`. An event is purged once none of its deliveries is left. */
export class PostgresWebhookRetention implements WebhookRetention {
  constructor(private readonly pool: Pool) {}

  async purge({ before, limit }: PurgeRequest): Promise<boolean> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ mayPurge: boolean }>(mayPurge);
      if (!rows[0]!.mayPurge) return false;
      const deliveries = await tx.query(purgeDeliveries, [before, limit]);
      const events = await tx.query<{ count: number }>(purgeEvents, [before, limit]);
      // Events of earlier releases first: the final event of an operation removes the object that they leave behind.
      if (events.rows[0]!.count === limit) return true;
      const compactEvents = await tx.query<{ count: number }>(purgeCompactEvents, [eventIdsAt(before).lowest, limit]);
      return deliveries.rowCount === limit || compactEvents.rows[0]!.count === limit;
    });
  }
}
