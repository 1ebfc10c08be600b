import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import { testVaultKeys } from '@florin/kernel/testing';
import type { WebhookEvent } from '@florin/webhooks-domain';
import { storeKeys } from '../../holders/testing/holder-commands';
import { readModelDatabase, type ReadModelDatabase } from '../../testing/read-model-database';
import { webhooksProjection } from '../webhooks.projection';
import { type WebhooksLog, webhooksLog } from './webhooks-log';

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly status: string;
}

/** A log and its projection. */
export interface WebhooksFixture {
  readonly database: ReadModelDatabase;
  readonly log: WebhooksLog;
  /** Starts again with an empty log and empty tables. */
  reset(): Promise<void>;
  /** Runs commands, expects all to be accepted, and projects their events in one batch. */
  run(...commands: readonly Promise<CommandReply>[]): Promise<readonly WebhookEvent[]>;
  project(...batches: readonly (readonly RecordedEvent[])[]): Promise<void>;
  /** In the order of publication. */
  events(): Promise<readonly WebhookEvent[]>;
  deliveries(): Promise<readonly DeliveryRow[]>;
}

const tables = ['events', 'endpoints', 'deliveries', 'due', 'attempts', 'endpoint_health', 'recoveries', 'objects'];

export async function webhooksFixture(): Promise<WebhooksFixture> {
  const database = await readModelDatabase();
  let log = webhooksLog();
  let projected = 0;
  const fixture: WebhooksFixture = {
    database,
    get log() {
      return log;
    },
    reset: async () => {
      log = webhooksLog();
      projected = 0;
      await database.pool.query(`TRUNCATE ${tables.map((table) => `webhooks.${table}`).join(', ')}`);
      await database.pool.query('UPDATE webhooks.sent_up_to SET position = 0');
    },
    run: async (...commands) => {
      for (const reply of await Promise.all(commands)) expect(reply).toMatchObject({ ok: true, repeated: false });
      await storeKeys(database.pool);
      const events = await log.events();
      const before = await fixture.events();
      await fixture.project(events.slice(projected));
      projected = events.length;
      return (await fixture.events()).slice(before.length);
    },
    project: (...batches) => database.project(webhooksProjection(testVaultKeys), ...batches),
    events: async () => {
      const text = 'SELECT webhooks.event_body(e) AS body FROM webhooks.events AS e ORDER BY position, type DESC';
      const { rows } = await database.pool.query<{ body: string }>(text);
      return rows.map(({ body }) => JSON.parse(body) as WebhookEvent);
    },
    deliveries: async () => {
      const text = `
        SELECT d.id, event_id, endpoint_id, status FROM webhooks.deliveries AS d JOIN webhooks.events AS e ON e.id = event_id
        ORDER BY e.position, e.type DESC, d.created_at, endpoint_id`;
      return (await database.pool.query<DeliveryRow>(text)).rows;
    },
  };
  return fixture;
}
