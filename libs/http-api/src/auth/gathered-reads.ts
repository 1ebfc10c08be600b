import { setTimeout as delay } from 'node:timers/promises';

/** So many keys are read by one statement; whatever is more waits for the next. */
const mostAtOnce = 1_000;

interface Batch<Value> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Value>>;
}

/**
 * Reads many keys by one statement, and one statement at a time: what is asked for meanwhile gathers for the next. So a
 * crowd costs the database hardly more than one caller does, and whoever invents keys holds nobody up.
 */
export class GatheredReads<Value> {
  private running: Batch<Value> | undefined;
  private readonly waiting: Batch<Value>[] = [];
  private last: Promise<unknown> = Promise.resolve();

  /** `gatherMs` is how long to gather before each statement, where nobody is in a hurry. */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    private readonly gatherMs = 0,
  ) {}

  /** The result rests on a read that begins after this call. */
  async next(key: string): Promise<Value | undefined> {
    const { keys, found } = this.waiting.find((batch) => batch.keys.has(key)) ?? this.batchWithRoom();
    keys.add(key);
    return (await found).get(key);
  }

  /** The result may rest on a read that began before this call. */
  async join(key: string): Promise<Value | undefined> {
    if (this.running?.keys.has(key)) return (await this.running.found).get(key);
    return this.next(key);
  }

  private batchWithRoom(): Batch<Value> {
    const newest = this.waiting.at(-1);
    if (newest !== undefined && newest.keys.size < mostAtOnce) return newest;
    const batch = { keys: new Set<string>(), found: this.readNext(this.last) };
    this.last = batch.found.catch(() => undefined);
    this.waiting.push(batch);
    return batch;
  }

  private async readNext(before: Promise<unknown>): Promise<ReadonlyMap<string, Value>> {
    await before;
    if (this.gatherMs > 0) await delay(this.gatherMs, undefined, { ref: false });
    this.running = this.waiting.shift()!;
    try {
      return await this.read([...this.running.keys]);
    } finally {
      this.running = undefined;
    }
  }
}
