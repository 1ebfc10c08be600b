import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import { deterministicId } from '@florin/kernel';
import { testVaultKeys } from '@florin/kernel/testing';
import {
  type CompactEvent,
  compactEventBody,
  eventTimeOf,
  expandJson,
  publicId,
  type WebhookEvent,
} from '@florin/webhooks-domain';
import type { Pool } from 'pg';
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

const tables = [
  ...['compact_events', 'events', 'endpoints', 'deliveries', 'due', 'attempts', 'endpoint_health', 'recoveries'],
  'objects',
];

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
      return (await storedEvents(database.pool)).map(({ body }) => JSON.parse(body) as WebhookEvent);
    },
    deliveries: async () => {
      const text = 'SELECT id, event_id, endpoint_id, status FROM webhooks.deliveries ORDER BY created_at, endpoint_id';
      const { rows } = await database.pool.query<DeliveryRow>(text);
      const ids = (await fixture.events()).map(({ id }) => id as string);
      return rows
        .filter(({ event_id }) => ids.includes(event_id))
        .sort((one, other) => ids.indexOf(one.event_id) - ids.indexOf(other.event_id));
    },
  };
  return fixture;
}

export interface StoredEvent {
  readonly body: string;
  readonly position: bigint;
  readonly objectId: string;
}

/** All events in both forms, in the order of publication. */
export async function storedEvents(pool: Pool): Promise<readonly StoredEvent[]> {
  const single = 'SELECT webhooks.event_body(e) AS body, position, object_id AS "objectId" FROM webhooks.events AS e';
  const compact = `
    SELECT id, company_id AS "companyId", environment, type, object_id AS "objectId", object_version AS "objectVersion", object,
      position
    FROM webhooks.compact_events`;
  type Row<Form> = Form & { readonly position: string };
  const events = [
    ...(await pool.query<Row<Omit<StoredEvent, 'position'>>>(single)).rows,
    ...(await pool.query<Row<CompactEvent>>(compact)).rows.map((row) => ({ ...row, body: compactEventBody(row) })),
  ];
  return events
    .map(({ body, position, objectId }) => ({ body, position: BigInt(position), objectId }))
    .sort((one, other) => Number(one.position - other.position) || (typeOf(one) < typeOf(other) ? 1 : -1));
}

/** Moves compact events up to a position to the form of earlier releases, which had other ids. Returns the new id of each. */
export async function storeAsEarlierRelease(pool: Pool, upTo?: bigint): Promise<ReadonlyMap<string, string>> {
  const moved = `DELETE FROM webhooks.compact_events WHERE position <= coalesce($1, position) RETURNING *`;
  const { rows } = await pool.query<Record<string, unknown> & { id: string; object: Buffer; object_id: string }>(
    moved,
    [upTo],
  );
  const ids = new Map<string, string>();
  for (const row of rows) {
    const [id, earlier] = [publicId(row.id), publicId(deterministicId('earlier', row.id))];
    ids.set(id, earlier);
    const insert = `
      INSERT INTO webhooks.events (id, company_id, environment, type, object_id, object_version, object, created_at, position)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
    const { company_id, environment, type, object_id, object_version, object, position } = row;
    const facts = [company_id, environment, type, object_id, object_version, expandJson(object, object_id)];
    await pool.query(insert, [earlier, ...facts, eventTimeOf(id), position]);
  }
  const known = [[...ids.keys()], [...ids.values()]];
  for (const table of ['deliveries', 'due']) {
    const rename = `
      UPDATE webhooks.${table} SET event_id = earlier FROM unnest($1::text[], $2::text[]) AS ids (id, earlier) WHERE event_id = ids.id`;
    await pool.query(rename, known);
  }
  return ids;
}

function typeOf({ body }: StoredEvent): string {
  return (JSON.parse(body) as WebhookEvent).type;
}
