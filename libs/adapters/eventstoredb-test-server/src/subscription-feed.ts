import { randomUUID } from 'node:crypto';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { caughtUp, checkpoint, confirmation, eventAnswer } from './answers';
import type { ReadQuery } from './read-query';
import { noRecordAt } from './refusal';
import type { StoredLog } from './stored-log';

export interface FeedOptions {
  readonly log: StoredLog;
  readonly send: (answer: ReadResp) => Promise<void>;
  readonly isDuplicated: boolean;
  readonly signal: AbortSignal;
}

/** Catches up, then follows live. A position to start from is one that the client has seen: what comes after it is sent. */
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
        await send(eventAnswer(event));
        if (isDuplicated) await send(eventAnswer(event));
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
  if (!log.isBoundary(from)) throw noRecordAt(from);
  return from + 1n;
}
