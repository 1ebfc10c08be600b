import type { RecoveryRequested } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import type { SourceEvent } from './source-events';

/**
 * Requests during a recovery are merged with it. Before its first step it starts at the earliest time. Later, a request for
 * events behind the cursor makes it start again at its end; it never goes back, so that frequent requests cannot stop it.
 */
const requestText = `
  INSERT INTO webhooks.recoveries AS known (endpoint_id, after_time, until_position, next_step_at)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (endpoint_id) DO UPDATE SET
    until_position = greatest(known.until_position, EXCLUDED.until_position),
    after_time = CASE WHEN known.after_id = '' THEN least(known.after_time, EXCLUDED.after_time) ELSE known.after_time END,
    again_since = CASE
      WHEN known.after_id <> '' AND EXCLUDED.after_time <= known.after_time
      THEN least(known.again_since, EXCLUDED.after_time) ELSE known.again_since
    END`;

/** Stores the recovery of all events before the request. The dispatcher executes it page by page. */
export async function requestRecovery(
  { endpointId, since }: RecoveryRequested['data'],
  { position, recordedAt }: SourceEvent,
  tx: PoolClient,
): Promise<void> {
  await tx.query(requestText, [endpointId, since, position, recordedAt]);
}

export async function cancelRecovery(endpointId: string, tx: PoolClient): Promise<void> {
  await tx.query('DELETE FROM webhooks.recoveries WHERE endpoint_id = $1', [endpointId]);
}
