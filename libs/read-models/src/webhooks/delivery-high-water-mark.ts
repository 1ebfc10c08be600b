import type { PoolClient } from 'pg';
import type { SourceEvent } from './source-events';

/** The last position of the log that led to deliveries. A rebuild keeps it. */
export async function readHighWaterMark(tx: PoolClient): Promise<bigint> {
  const text = 'SELECT position FROM webhooks.sent_up_to';
  const { rows } = await tx.query<{ position: string }>({ name: 'webhooks-sent-up-to', text });
  return BigInt(rows[0]!.position);
}

export async function moveHighWaterMark(sources: readonly SourceEvent[], tx: PoolClient): Promise<void> {
  const last = sources.at(-1);
  if (last === undefined) return;
  const text = 'UPDATE webhooks.sent_up_to SET position = $1 WHERE position < $1';
  await tx.query({ name: 'set-webhooks-sent-up-to', text, values: [last.position] });
}
