import type { RecoveryQueue, RecoveryStepRequest } from '@florin/webhooks-application';
import { eventCursor } from '@florin/webhooks-domain';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './in-transaction';
import {
  continueRecovery,
  countRecovered,
  endRecovery,
  lockNextRecovery,
  postponeRecovery,
  queueRecovered,
  readRecoveryPage,
  restartRecovery,
} from './recovery-statements';

/** How long a recovery waits when its endpoint has too many pending deliveries. */
const pauseMs = 1_000;

interface Recovery {
  readonly endpointId: string;
  readonly afterTime: Date;
  readonly afterId: string;
  readonly untilPosition: string;
  readonly againSince: Date | null;
  readonly companyId: string;
  readonly environment: string;
  readonly events: readonly string[] | null;
}

interface PageEvent {
  readonly id: string;
  readonly createdAt: Date;
  readonly isMissed: boolean;
}

/** The recoveries in `webhooks.recoveries`, which the projection `webhooks` adds and cancels. */
export class PostgresRecoveryQueue implements RecoveryQueue {
  constructor(private readonly pool: Pool) {}

  async step(request: RecoveryStepRequest): Promise<boolean> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<Recovery>(lockNextRecovery, [request.now]);
      if (rows[0]) await this.advance(rows[0], request, tx);
      return rows[0] !== undefined;
    });
  }

  private async advance(recovery: Recovery, request: RecoveryStepRequest, tx: PoolClient): Promise<void> {
    const { endpointId, companyId, environment, againSince } = recovery;
    const { now, maxPending, perSecond } = request;
    const pageSize = Math.min(request.pageSize, maxPending);
    if (!(await hasCapacity(endpointId, maxPending - pageSize, tx))) {
      await tx.query(postponeRecovery, [endpointId, new Date(now.getTime() + pauseMs)]);
      return;
    }
    const page = await readPage(recovery, pageSize, request.oldest, tx);
    const missed = page.filter(({ isMissed }) => isMissed).map(({ id }) => id);
    if (missed.length > 0) {
      await tx.query(queueRecovered, [missed, endpointId, companyId, environment, now]);
      await tx.query('NOTIFY webhook_deliveries');
    }
    const last = page.at(-1);
    const nextStepAt = new Date(now.getTime() + (missed.length / perSecond) * 1_000);
    if (last !== undefined && page.length === pageSize) {
      await tx.query(continueRecovery, [endpointId, nextStepAt, last.createdAt, last.id]);
    } else if (againSince !== null) {
      await tx.query(restartRecovery, [endpointId, nextStepAt]);
    } else {
      await tx.query(endRecovery, [endpointId]);
    }
  }
}

/** Whether recoveries have created at most that many deliveries of the endpoint that are pending. */
async function hasCapacity(endpointId: string, maxPending: number, tx: PoolClient): Promise<boolean> {
  const { rows } = await tx.query<{ count: number }>(countRecovered, [endpointId, maxPending + 1]);
  return rows[0]!.count <= maxPending;
}

async function readPage(
  recovery: Recovery,
  limit: number,
  oldest: Date | undefined,
  tx: PoolClient,
): Promise<readonly PageEvent[]> {
  const { endpointId, companyId, environment, untilPosition, events } = recovery;
  const isTooEarly = oldest !== undefined && recovery.afterTime < oldest;
  const [afterTime, afterId] = isTooEarly ? [oldest, ''] : [recovery.afterTime, recovery.afterId];
  const cursor = eventCursor(afterTime, afterId);
  const values = [endpointId, companyId, environment, afterTime, afterId, untilPosition, events, limit, cursor];
  return (await tx.query<PageEvent>(readRecoveryPage, values)).rows;
}
