import { createPool } from '@florin/database';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosDatabase } from '../environment/chaos-database';
import type { ChaosEventStore } from '../environment/chaos-event-store';
import { openStore } from '../environment/open-store';

const timeoutMs = 20_000;
const pollMs = 200;

/** Whether read models have stored events that were appended after the call. False when none are appended for a while. */
export async function waitForProgress(targets: {
  readonly database: ChaosDatabase;
  readonly eventStore: ChaosEventStore;
}): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  const store = openStore(targets);
  try {
    const head = await store.head();
    while (Date.now() < deadline) {
      // The database may be down.
      const stored = await furthestPosition(targets.database).catch(() => 0n);
      if (stored > head) return true;
      await delay(pollMs);
    }
    return false;
  } finally {
    await store.close();
  }
}

async function furthestPosition({ connection }: ChaosDatabase): Promise<bigint> {
  const pool = createPool(connection, { max: 1 });
  try {
    const query = 'SELECT coalesce(max(position), 0)::text AS position FROM event_store.subscription_shards';
    const { rows } = await pool.query<{ position: string }>(query);
    return BigInt(rows[0]!.position);
  } finally {
    await pool.end();
  }
}
