import { randomBytes } from 'node:crypto';
import { randomId } from '@florin/kernel';
import {
  type CompactEvent,
  compactEventBody,
  compactJson,
  isCompactType,
  isTimeOrdered,
  timeOrderedEventId,
  uuidOf,
  type WebhookEvent,
} from '@florin/webhooks-domain';
import type { Pool } from 'pg';

export interface SampleEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly secret: string;
}

export interface EndpointChange {
  readonly url?: string;
  readonly status?: 'enabled' | 'disabled';
  readonly deleted?: boolean;
  /** All active secrets, the newest first. */
  readonly secretIds?: readonly string[];
}

export interface StoredDelivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
}

const companyId = '00000000-0000-4000-8000-000000000001';

/** The forms in which events are stored: those of this release, or all as earlier releases did. */
export const eventForms = ['compact', 'single'] as const;
export type EventForm = (typeof eventForms)[number];

interface SampleEvent {
  readonly id: WebhookEvent['id'];
  readonly type: WebhookEvent['type'];
  readonly environment: string;
  readonly createdAt: Date;
  readonly position: number;
  readonly objectId: string;
  readonly objectVersion: number;
}

export interface EventOptions extends Partial<Pick<SampleEvent, 'objectId' | 'objectVersion' | 'position'>> {
  readonly type?: string;
  readonly environment?: string;
  readonly form?: EventForm;
}

/** Fills the queue like the projection, so that deliveries can be tested without an event log. */
export class QueueFixture {
  private events = 0;

  constructor(
    readonly pool: Pool,
    private readonly form: EventForm = 'compact',
  ) {}

  async addEndpoint(url: string, { environment = 'sandbox', id = randomId() } = {}): Promise<SampleEndpoint> {
    const secret = `whsec_${randomBytes(32).toString('base64url')}`;
    const secretId = await this.addSecret(id, secret);
    const accountId = `${companyId}-${environment}`;
    await this.pool.query(
      `INSERT INTO webhooks.endpoints
         (id, account_id, company_id, environment, url, status, secrets, created_at, deleted, revision)
       VALUES ($1, $2, $3, $4, $5, 'enabled', $6, now(), false, 0)`,
      [id, accountId, companyId, environment, url, JSON.stringify([{ id: secretId }])],
    );
    return { id, accountId, secret };
  }

  async addSecret(endpointId: string, secret: string): Promise<string> {
    const secretId = randomId();
    await this.pool.query('INSERT INTO vault.webhook_secrets (secret_id, endpoint_id, secret) VALUES ($1, $2, $3)', [
      secretId,
      endpointId,
      secret,
    ]);
    return secretId;
  }

  /** Changes an endpoint like the projection, which also cancels the deliveries of a disabled or deleted endpoint. */
  async change(endpoint: SampleEndpoint, change: EndpointChange): Promise<void> {
    const { url, status, deleted, secretIds } = change;
    const secrets = secretIds && JSON.stringify(secretIds.map((id) => ({ id })));
    await this.pool.query(
      `WITH changed AS (
         UPDATE webhooks.endpoints SET url = coalesce($2, url), status = coalesce($3, status),
           deleted = coalesce($4, deleted), secrets = coalesce($5, secrets), revision = revision + 1
         WHERE id = $1 RETURNING id, deleted OR status = 'disabled' AS ends
       ), ended AS (
         DELETE FROM webhooks.due USING changed WHERE ends AND endpoint_id = changed.id RETURNING delivery_id
       )
       UPDATE webhooks.deliveries d SET status = 'cancelled' FROM ended WHERE d.id = delivery_id`,
      [endpoint.id, url, status, deleted, secrets],
    );
  }

  /** Adds `count` events for each endpoint. Returns the ids of the deliveries. */
  async addDeliveries(endpoints: readonly SampleEndpoint[], count: number, dueAt: Date): Promise<string[]> {
    const rows = endpoints.flatMap((endpoint) =>
      Array.from({ length: count }, () => ({ endpoint, event: this.sampleEvent(dueAt), id: randomId() })),
    );
    await this.insertEvents(rows.map(({ event }) => event));
    await this.pool.query(
      `WITH added AS (
         INSERT INTO webhooks.deliveries
           (id, event_id, endpoint_id, company_id, environment, next_attempt_at, created_at)
         SELECT id, event_id, endpoint_id, $4, 'sandbox', $5, $5
         FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS d (id, event_id, endpoint_id)
         RETURNING *
       )
       INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id)
       SELECT endpoint_id, next_attempt_at, id, event_id FROM added`,
      [
        rows.map(({ id }) => id),
        rows.map(({ event }) => event.id),
        rows.map(({ endpoint }) => endpoint.id),
        companyId,
        dueAt,
      ],
    );
    await this.pool.query('NOTIFY webhook_deliveries');
    return rows.map(({ id }) => id);
  }

  /** Adds an event without deliveries and returns its id. */
  async addEvent(createdAt: Date, options: EventOptions = {}): Promise<string> {
    const event = this.sampleEvent(createdAt, options);
    await this.insertEvents([event]);
    return event.id;
  }

  /** Adds a delivery of an event in any status: at the time of the event, or resent at a later one. */
  async addDelivery(eventId: string, endpoint: SampleEndpoint, status: string, resentAt?: Date): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      `WITH added AS (
         INSERT INTO webhooks.deliveries
           (id, event_id, endpoint_id, company_id, environment, status, next_attempt_at, created_at, resent)
         SELECT gen_random_uuid(), id, $2, company_id, environment, $3, coalesce($4, created_at), coalesce($4, created_at),
           $4::timestamptz IS NOT NULL
         FROM (
           SELECT id, company_id, environment, created_at FROM webhooks.events
           UNION ALL
           SELECT webhooks.compact_event_id(id), company_id, environment::text, webhooks.compact_event_time(id)
           FROM webhooks.compact_events
         ) AS events WHERE id = $1
         RETURNING *
       ), queued AS (
         INSERT INTO webhooks.due (endpoint_id, next_attempt_at, delivery_id, event_id)
         SELECT endpoint_id, next_attempt_at, id, event_id FROM added WHERE status = 'pending'
       )
       SELECT id FROM added`,
      [eventId, endpoint.id, status, resentAt],
    );
    return rows[0]!.id;
  }

  /** The bodies of all events by their ids, the oldest event first. */
  async bodies(): Promise<ReadonlyMap<string, string>> {
    const { rows: single } = await this.pool.query<{ id: string; at: Date; body: string }>(
      'SELECT id, created_at AS at, webhooks.event_body(e) AS body FROM webhooks.events e',
    );
    const { rows: compact } = await this.pool.query<CompactEvent & { publicId: string; at: Date }>(
      `SELECT webhooks.compact_event_id(id) AS "publicId", webhooks.compact_event_time(id) AS at, id, company_id AS "companyId",
              environment, type, object_id AS "objectId", object_version AS "objectVersion", object
       FROM webhooks.compact_events`,
    );
    const events = [
      ...single,
      ...compact.map((event) => ({ id: event.publicId, at: event.at, body: compactEventBody(event) })),
    ];
    events.sort((one, other) => one.at.getTime() - other.at.getTime());
    return new Map(events.map(({ id, body }) => [id, body]));
  }

  /** In the order of the ids given. */
  async deliveries(ids: readonly string[]): Promise<StoredDelivery[]> {
    const { rows } = await this.pool.query<StoredDelivery>(
      `SELECT id, status, attempts, next_attempt_at AS "nextAttemptAt",
              last_status_code AS "lastStatusCode", last_error AS "lastError"
       FROM webhooks.deliveries WHERE id = ANY ($1) ORDER BY array_position($1, id)`,
      [ids],
    );
    return rows;
  }

  async attempts(deliveryId: string): Promise<{ number: number; at: Date; outcome: string; excerpt: string | null }[]> {
    const sql = 'SELECT number, at, outcome, excerpt FROM webhooks.attempts WHERE delivery_id = $1 ORDER BY number';
    return (
      await this.pool.query<{ number: number; at: Date; outcome: string; excerpt: string | null }>(sql, [deliveryId])
    ).rows;
  }

  async countPending(): Promise<number> {
    const sql = `SELECT count(*)::integer AS count FROM webhooks.deliveries WHERE status = 'pending'`;
    return (await this.pool.query<{ count: number }>(sql)).rows[0]!.count;
  }

  async countClaims(): Promise<number> {
    const sql = `SELECT count(*)::integer AS count FROM webhooks.endpoint_claims WHERE claimed_by IS NOT NULL`;
    return (await this.pool.query<{ count: number }>(sql)).rows[0]!.count;
  }

  async empty(): Promise<void> {
    await this.pool.query(
      `TRUNCATE webhooks.deliveries, webhooks.due, webhooks.attempts, webhooks.compact_events, webhooks.events, webhooks.endpoints,
                webhooks.endpoint_health, webhooks.endpoint_claims, webhooks.recoveries,
                webhooks.objects`,
    );
  }

  private sampleEvent(createdAt: Date, options: EventOptions = {}): SampleEvent {
    this.events += 1;
    const type = (options.type ?? 'operation.completed') as WebhookEvent['type'];
    const { environment = 'sandbox', position = this.events, objectId = randomId(), objectVersion = 1 } = options;
    const isCompact = (options.form ?? this.form) === 'compact' && isCompactType(type);
    const id = isCompact
      ? timeOrderedEventId(randomId(), 'operation', createdAt.toISOString())
      : (`evt_${randomBytes(6).toString('hex')}5${randomBytes(10).toString('hex').slice(1)}` as const);
    return { id, type, environment, createdAt, position, objectId, objectVersion };
  }

  private async insertEvents(events: readonly SampleEvent[]): Promise<void> {
    const objectOf = ({ objectId, objectVersion }: SampleEvent): string =>
      JSON.stringify({ id: objectId, note: `Käthe "✓" ${objectVersion}` });
    const compact = events.filter(({ id }) => isTimeOrdered(id));
    await this.pool.query(
      `INSERT INTO webhooks.compact_events
         (company_id, id, object_id, position, environment, type, object_version, object)
       SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::webhooks.environment[],
                                $6::webhooks.compact_event_type[], $7::integer[], $8::bytea[])`,
      [
        companyId,
        compact.map(({ id }) => uuidOf(id)),
        ...columnsOf(compact),
        compact.map((event) => compactJson(objectOf(event), event.objectId)),
      ],
    );
    const single = events.filter(({ id }) => !isTimeOrdered(id));
    await this.pool.query(
      `INSERT INTO webhooks.events
         (company_id, id, object_id, position, environment, type, object_version, object, created_at)
       SELECT $1, * FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::integer[], $8::text[],
                                $9::timestamptz[])`,
      [
        companyId,
        single.map(({ id }) => id),
        ...columnsOf(single),
        single.map(objectOf),
        single.map(({ createdAt }) => createdAt),
      ],
    );
  }
}

function columnsOf(events: readonly SampleEvent[]): readonly unknown[][] {
  return [
    events.map(({ objectId }) => objectId),
    events.map(({ position }) => position),
    events.map(({ environment }) => environment),
    events.map(({ type }) => type),
    events.map(({ objectVersion }) => objectVersion),
  ];
}
