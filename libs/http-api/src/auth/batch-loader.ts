import DataLoader from 'dataloader';
import { setTimeout as delay } from 'node:timers/promises';

const maxBatchSize = 1_000;

export interface BatchLoaderOptions {
  /** Whether a call may share the result of a read that began before it. */
  readonly joinRunningRead: boolean;
  /** How long to collect keys before each read, where no request waits for the result. */
  readonly collectMs?: number;
}

export type LoadKey<Value> = (key: string) => Promise<Value | undefined>;

/**
 * Runs one read at a time and collects keys for the next one meanwhile. Many clients then cost the database hardly more
 * than one, and invented keys do not delay valid ones. No result is kept once its read has ended.
 */
export function batchLoader<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  { joinRunningRead, collectMs = 0 }: BatchLoaderOptions,
): LoadKey<Value> {
  // Not DataLoader's own cache: it delays the result of a running read until the next one has ended, too.
  const shared = new Map<string, Promise<Value | undefined>>();
  const stopSharing = (keys: readonly string[]): void => keys.forEach((key) => shared.delete(key));
  let previous: Promise<unknown> = Promise.resolve();
  let running: Promise<unknown> = Promise.resolve();

  const readBatch = async (keys: readonly string[]): Promise<(Value | undefined)[]> => {
    if (!joinRunningRead) stopSharing(keys);
    try {
      const found = await read(keys);
      return keys.map((key) => found.get(key));
    } finally {
      if (joinRunningRead) stopSharing(keys);
    }
  };

  const runAfterPrevious = async (before: Promise<unknown>, dispatch: () => void): Promise<void> => {
    await before;
    if (collectMs > 0) await delay(collectMs, undefined, { ref: false });
    dispatch();
    await running;
  };

  const loader = new DataLoader<string, Value | undefined>(
    (keys) => {
      const batch = readBatch(keys);
      running = batch.catch(() => undefined);
      return batch;
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (dispatch) => {
        previous = runAfterPrevious(previous, dispatch);
      },
    },
  );

  return (key) => {
    const result = shared.get(key) ?? loader.load(key);
    shared.set(key, result);
    return result;
  };
}
