import { newestFirstSql } from '../keyset-page';
import { withoutNulls } from '../without-nulls';
import type { DeliveryAttemptView, DeliveryView } from './webhooks.views';

/** A row as returned by Postgres: times are dates, and absent values are null. */
export interface DeliveryRecord extends Pick<DeliveryView, 'id' | 'eventId' | 'eventType' | 'status' | 'attempts'> {
  readonly nextAttemptAt: Date;
  readonly lastAttemptAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastDurationMs: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  /** Without the acknowledged attempt. */
  readonly log: readonly StoredAttempt[];
}

/** As JSON. */
type StoredAttempt = { readonly [Name in keyof DeliveryAttemptView]-?: DeliveryAttemptView[Name] | null };

const listText = (inStatus: string) => `
    WITH page AS (
      SELECT * FROM webhooks.deliveries
      WHERE endpoint_id = $1 AND company_id = $2 AND environment = $3 AND ${inStatus}
        ${newestFirstSql('created_at', 5)}
    )
    SELECT page.id, event_id AS "eventId", of_event.type AS "eventType", status, attempts,
      next_attempt_at AS "nextAttemptAt", last_attempt_at AS "lastAttemptAt", last_status_code AS "lastStatusCode",
      last_duration_ms AS "lastDurationMs", last_error AS "lastError", page.created_at AS "createdAt",
      coalesce((
        SELECT json_agg(json_build_object(
          'number', number, 'at', at, 'durationMs', duration_ms, 'outcome', outcome, 'statusCode', status_code,
          'error', error, 'excerpt', excerpt
        ) ORDER BY number)
        FROM webhooks.attempts WHERE delivery_id = page.id
      ), '[]') AS log
    FROM page CROSS JOIN LATERAL (
      SELECT type FROM webhooks.events WHERE id = page.event_id
      UNION ALL
      SELECT type::text FROM webhooks.compact_events
      WHERE company_id = page.company_id AND environment = page.environment::webhooks.environment
        AND id = substr(page.event_id, 5)::uuid
    ) AS of_event
    ORDER BY page.created_at DESC, page.id DESC`;

const list = (name: string, inStatus: string) => ({ name: `list-webhook-deliveries${name}`, text: listText(inStatus) });

/**
 * One statement per status: rare statuses have their own index, and delivered ones, the majority, are read from all.
 */
export const listDeliveries = {
  all: list('', '$4::text IS NULL'),
  pending: list('-pending', 'status = $4 AND id IN (SELECT delivery_id FROM webhooks.due WHERE endpoint_id = $1)'),
  delivered: list('-delivered', 'status = $4'),
  failed: list('-unsent', 'unsent = $4'),
  cancelled: list('-unsent', 'unsent = $4'),
};

export function deliveryView(record: DeliveryRecord): DeliveryView {
  const { id, eventId, eventType, status, attempts, lastStatusCode, lastError } = record;
  const lastAttemptAt = record.lastAttemptAt?.toISOString() ?? null;
  return {
    ...withoutNulls({ id, eventId, eventType, status, attempts, lastAttemptAt, lastStatusCode, lastError }),
    ...(status === 'pending' && { nextAttemptAt: record.nextAttemptAt.toISOString() }),
    createdAt: record.createdAt.toISOString(),
    log: [...record.log.map(attemptView), ...acknowledgement(record)],
  };
}

function acknowledgement(record: DeliveryRecord): readonly DeliveryAttemptView[] {
  const { status, attempts: number, lastAttemptAt, lastDurationMs, lastStatusCode } = record;
  if (status !== 'delivered' || lastAttemptAt === null) return [];
  const facts = { at: lastAttemptAt.toISOString(), durationMs: lastDurationMs ?? 0, outcome: 'acknowledged' } as const;
  return [{ number, ...facts, ...(lastStatusCode !== null && { statusCode: lastStatusCode }) }];
}

function attemptView(stored: StoredAttempt): DeliveryAttemptView {
  const attempt = withoutNulls(stored) as DeliveryAttemptView;
  return { ...attempt, at: new Date(attempt.at).toISOString() };
}
