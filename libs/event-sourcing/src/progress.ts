import type { Position } from './ports/event-store.port';

export interface ShardPosition {
  readonly subscription: string;
  readonly shard: number;
  readonly position: Position;
  /** How many streams it has set aside. */
  readonly setAside: number;
}

/**
 * The positions of subscriptions, of this process and as reported by others, available without a database query.
 * Waiting readers are woken on progress.
 */
export class Progress {
  private readonly shards = new Map<string, (Position | undefined)[]>();
  private readonly setAside = new Map<string, Map<number, number>>();
  private waiters: (() => void)[] = [];
  private readonly lingering = new Set<() => void>();
  /** Called when a reader starts to wait, so that subscriptions in other threads can be notified. */
  onAwaited: () => void = () => undefined;

  report(subscription: string, shard: number, shardCount: number, position: Position): void {
    let positions = this.shards.get(subscription);
    if (positions === undefined) {
      positions = new Array<Position | undefined>(shardCount).fill(undefined);
      this.shards.set(subscription, positions);
    }
    const before = positions[shard];
    if (before !== undefined && before >= position) return;
    positions[shard] = position;
    const woken = this.waiters;
    this.waiters = [];
    for (const wake of woken) wake();
  }

  reportSetAside(subscription: string, shard: number, streams: number): void {
    const shards = this.setAside.get(subscription) ?? new Map<number, number>();
    this.setAside.set(subscription, shards.set(shard, streams));
  }

  /** The shard moved to another process, so its position is no longer known here. */
  forget(subscription: string, shard: number): void {
    this.setAside.get(subscription)?.delete(shard);
    const positions = this.shards.get(subscription);
    if (positions !== undefined) positions[shard] = undefined;
  }

  /** The positions of all shards that are known here. */
  known(): readonly ShardPosition[] {
    return [...this.shards].flatMap(([subscription, positions]) =>
      positions.flatMap((position, shard) => {
        if (position === undefined) return [];
        return [{ subscription, shard, position, setAside: this.setAside.get(subscription)?.get(shard) ?? 0 }];
      }),
    );
  }

  /** Whether all shards are known to have passed the position. Shards of other processes are unknown. */
  hasReached(subscription: string, position: Position): boolean {
    const positions = this.shards.get(subscription);
    return positions !== undefined && positions.every((reached) => reached !== undefined && reached >= position);
  }

  /** Resolves on the next progress of any subscription, or after the given time. Lingering subscriptions are woken. */
  async waitForProgress(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
      for (const wake of [...this.lingering]) wake();
      this.onAwaited();
    });
  }

  /**
   * Lets events accumulate for a moment, so that a busy log is processed in few large batches. Returns immediately
   * while a reader waits for progress, and as soon as one starts to.
   */
  async linger(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds === 0 || this.waiters.length > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.lingering.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.lingering.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
