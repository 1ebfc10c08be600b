import { randomUUID } from 'node:crypto';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { caughtUp, checkpoint, confirmation, eventResponse } from './responses';
import type { ReadQuery } from './read-query';
import { invalidPosition } from './refusal';
import type { StoredLog } from './stored-log';

export interface FeedOptions {
  readonly log: StoredLog;
  readonly send: (response: ReadResp) => Promise<void>;
  readonly isDuplicated: boolean;
  readonly signal: AbortSignal;
}

/** Catches up, then follows live. The start position is exclusive: the client has already seen that event. */
export async function feedSubscription(query: ReadQuery, options: FeedOptions): Promise<void> {
  const { log, send, isDuplicated, signal } = options;
  let next = startOf(query, log);
  let considered = 0;
  let hasCaughtUp = false;
  await send(confirmation(randomUUID()));
  while (!signal.aborted) {
    for (const event of log.from(next)) {
      if (signal.aborted) return;
      if (query.matches(event)) {
        await send(eventResponse(event));
        if (isDuplicated) await send(eventResponse(event));
      }
      considered += 1;
      const isCheckpoint = query.checkpointEvery > 0 && considered % query.checkpointEvery === 0;
      if (isCheckpoint) await send(checkpoint(event.position));
      next = event.position + 1n;
    }
    if (!hasCaughtUp) await send(caughtUp());
    hasCaughtUp = true;
    await log.reaches(next, signal);
  }
}

function startOf({ from }: ReadQuery, log: StoredLog): bigint {
  if (from === 'start') return 0n;
  if (from === 'end') return log.endPosition;
  if (!log.isBoundary(from)) throw invalidPosition(from);
  return from + 1n;
}
