import { performance } from 'node:perf_hooks';
import type { CheckpointStore } from './ports/checkpoint-store.port';
import { beforeFirst, type EventStore, type Position } from './ports/event-store.port';
import type { Progress } from './progress';

/** The read model did not catch up in time: a response now could miss an acknowledged write. */
export class StaleReadModel extends Error {
  constructor(subscription: string, reason = 'it has not caught up yet') {
    super(`The read model ${subscription} may be outdated, ${reason}; repeat in a moment`);
    this.name = 'StaleReadModel';
  }
}

export interface ReadYourWritesOptions {
  readonly store: Pick<EventStore, 'head'>;
  readonly checkpoints: Pick<CheckpointStore<unknown>, 'position'>;
  readonly progress: Progress;
  /** For the head of the log and the read model together. */
  readonly timeoutMs?: number;
  /** For the head of the log, which needs the event store. */
  readonly headTimeoutMs?: number;
}

/** How often a waiting reader polls the position of another process. */
const pollMs = 10;

/**
 * Read-your-writes on any replica: a read first gets the head of the log, then waits until the read model has reached
 * it. Writers have no extra cost.
 */
export class ReadYourWrites {
  private known: { readonly head: Position; readonly atMs: number } = { head: beforeFirst, atMs: -Infinity };
  private readonly stored = new Map<string, { readonly position: Promise<Position>; readAtMs: number }>();

  constructor(private readonly options: ReadYourWritesOptions) {}

  /**
   * Resolves when the read model includes all writes that were acknowledged before this call or, with `maxAgeMs`,
   * before that many milliseconds ago. Frequent callers that accept the latter neither wait nor speed up the read
   * model.
   */
  waitUntilCaughtUp(subscription: string, maxAgeMs = 0): Promise<void> {
    const { timeoutMs = 5_000 } = this.options;
    const caughtUp = this.catchUp(subscription, maxAgeMs, Date.now() + timeoutMs);
    return inTime(caughtUp, timeoutMs, () => new StaleReadModel(subscription));
  }

  private async catchUp(subscription: string, maxAgeMs: number, deadline: number): Promise<void> {
    const { progress } = this.options;
    const head = await this.headWithin(maxAgeMs, subscription);
    while (!progress.hasReached(subscription, head)) {
      if (!progress.isKnown(subscription) && (await this.storedPosition(subscription)) >= head) return;
      if (Date.now() >= deadline) throw new StaleReadModel(subscription);
      await progress.waitForProgress(subscription, pollMs);
    }
  }

  /** As other processes have stored it. Readers that wait at the same time share a query. */
  private storedPosition(subscription: string): Promise<Position> {
    const last = this.stored.get(subscription);
    if (last !== undefined && performance.now() - last.readAtMs < pollMs / 2) return last.position;
    const position = this.options.checkpoints.position(subscription);
    const next = { position, readAtMs: Infinity };
    const read = (): void => void (next.readAtMs = performance.now());
    position.then(read, read);
    this.stored.set(subscription, next);
    return position;
  }

  private async headWithin(maxAgeMs: number, subscription: string): Promise<Position> {
    const askedAtMs = performance.now();
    if (askedAtMs - this.known.atMs < maxAgeMs) return this.known.head;
    const { store, headTimeoutMs = 2_000 } = this.options;
    const reason = `the event store has not responded within ${headTimeoutMs} ms`;
    const head = await inTime(store.head(), headTimeoutMs, () => new StaleReadModel(subscription, reason));
    if (askedAtMs > this.known.atMs) this.known = { head, atMs: askedAtMs };
    return head;
  }
}

/** A store that does not respond must not delay a read longer than a read model that is behind does. */
async function inTime<Result>(result: Promise<Result>, timeoutMs: number, late: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([result, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
