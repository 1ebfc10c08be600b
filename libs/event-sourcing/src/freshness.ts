import type { CheckpointStore } from './ports/checkpoint-store.port';
import type { EventStore } from './ports/event-store.port';
import type { Progress } from './progress';

/** The read model did not catch up in time: an answer now could hide a write that was already acknowledged. */
export class StaleReadModel extends Error {
  constructor(subscription: string) {
    super(`The read model ${subscription} has not caught up yet; repeat in a moment`);
    this.name = 'StaleReadModel';
  }
}

export interface FreshnessOptions {
  readonly store: Pick<EventStore, 'head'>;
  readonly checkpoints: Pick<CheckpointStore<unknown>, 'position'>;
  readonly progress: Progress;
  readonly timeoutMs?: number;
}

/**
 * Read-your-writes, through any replica: a read first asks where the log ends, then waits until the read model has got
 * there. Writers pay nothing for it.
 */
export class Freshness {
  constructor(private readonly options: FreshnessOptions) {}

  async untilShown(subscription: string): Promise<void> {
    const { store, checkpoints, progress, timeoutMs = 5_000 } = this.options;
    const head = await store.head();
    const deadline = Date.now() + timeoutMs;
    while (!progress.hasReached(subscription, head)) {
      if ((await checkpoints.position(subscription)) >= head) return;
      if (Date.now() >= deadline) throw new StaleReadModel(subscription);
      await progress.moved(10);
    }
  }
}
