import { randomBytes } from 'node:crypto';
import { randomId } from '@florin/kernel';
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

/** Fills the queue like the projection, so that deliveries can be tested without an event log. */
export class QueueFixture {
  private events = 0;

  constructor(readonly pool: Pool) {}

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
      Array.from({ length: count }, () => ({ endpoint, eventId: this.nextEventId(), id: randomId() })),
    );
    const bodies = rows.map(({ eventId }) =>
      JSON.stringify({ id: eventId, type: 'operation.completed', note: 'Käthe ✓' }),
    );
    await this.pool.query(
      `INSERT INTO webhooks.events
         (id, company_id, environment, type, object_id, object_version, body, created_at, position)
       SELECT id, $3, 'sandbox', 'operation.completed', gen_random_uuid(), 1, body, $4, nth
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS e (id, body, nth)`,
      [rows.map(({ eventId }) => eventId), bodies, companyId, dueAt],
    );
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
        rows.map(({ eventId }) => eventId),
        rows.map(({ endpoint }) => endpoint.id),
        companyId,
        dueAt,
      ],
    );
    await this.pool.query('NOTIFY webhook_deliveries');
    return rows.map(({ id }) => id);
  }

  /** Adds an event without deliveries and returns its id. */
  async addEvent(
    createdAt: Date,
    { type = 'operation.completed', environment = 'sandbox', position = this.events + 1 } = {},
  ): Promise<string> {
    const id = this.nextEventId();
    await this.pool.query(
      `INSERT INTO webhooks.events
         (id, company_id, environment, type, object_id, object_version, body, created_at, position)
       VALUES ($1, $2, $3, $4, gen_random_uuid(), 1, $5, $6, $7)`,
      [id, companyId, environment, type, JSON.stringify({ id, type }), createdAt, position],
    );
    return id;
  }

  /** Adds a delivery of an event in any status: at the time of the event, or resent at a later one. */
  async addDelivery(eventId: string, endpoint: SampleEndpoint, status: string, resentAt?: Date): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      `WITH added AS (
         INSERT INTO webhooks.deliveries
           (id, event_id, endpoint_id, company_id, environment, status, next_attempt_at, created_at, resent)
         SELECT gen_random_uuid(), id, $2, company_id, environment, $3, coalesce($4, created_at), coalesce($4, created_at),
           $4::timestamptz IS NOT NULL
         FROM webhooks.events WHERE id = $1
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
      `TRUNCATE webhooks.deliveries, webhooks.due, webhooks.attempts, webhooks.events, webhooks.endpoints,
                webhooks.endpoint_health, webhooks.endpoint_claims, webhooks.recoveries,
                webhooks.objects`,
    );
  }

  private nextEventId(): string {
    this.events += 1;
    return `evt_${randomBytes(12).toString('hex')}${this.events.toString(16).padStart(8, '0')}`;
  }
}
