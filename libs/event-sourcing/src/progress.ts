import { performance } from 'node:perf_hooks';
import type { Position } from './ports/event-store.port';

/** How long a call of `onAwaited` is effective at least. */
export const awaitedForMs = 10;

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
  private readonly waiters: Sleepers = new Map();
  private readonly lingering: Sleepers = new Map();
  private readonly notifiedAtMs = new Map<string, number>();
  /**
   * Called when a reader starts to wait for a subscription, which may run in another thread. Readers that start while
   * others wait for the same progress call it again only after `awaitedForMs`.
   */
  onAwaited: (subscription: string) => void = () => undefined;

  report(subscription: string, shard: number, shardCount: number, position: Position): void {
    let positions = this.shards.get(subscription);
    if (positions === undefined) {
      positions = new Array<Position | undefined>(shardCount).fill(undefined);
      this.shards.set(subscription, positions);
    }
    const before = positions[shard];
    if (before !== undefined && before >= position) return;
    positions[shard] = position;
    this.notifiedAtMs.delete(subscription);
    wakeAll(this.waiters, subscription);
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

  /** Whether this process knows the positions of all shards, so that the database has no newer ones. */
  isKnown(subscription: string): boolean {
    return this.shards.get(subscription)?.every((position) => position !== undefined) ?? false;
  }

  /** Whether all shards are known to have passed the position. Shards of other processes are unknown. */
  hasReached(subscription: string, position: Position): boolean {
    const positions = this.shards.get(subscription);
    return positions !== undefined && positions.every((reached) => reached !== undefined && reached >= position);
  }

  /** Resolves on the next progress of the subscription, or after the given time. If it lingers, it is woken. */
  async waitForProgress(subscription: string, withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        remove(this.waiters, subscription, wake);
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      add(this.waiters, subscription, wake);
      wakeAll(this.lingering, subscription);
      this.notifyAwaited(subscription);
    });
  }

  private notifyAwaited(subscription: string): void {
    const nowMs = performance.now();
    if (nowMs - (this.notifiedAtMs.get(subscription) ?? -Infinity) < awaitedForMs) return;
    this.notifiedAtMs.set(subscription, nowMs);
    this.onAwaited(subscription);
  }

  /**
   * Lets events of a subscription accumulate for a moment, so that a busy log is processed in few large batches. Returns immediately
   * while a reader waits for progress, and as soon as one starts to.
   */
  async linger(subscription: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds === 0 || this.waiters.has(subscription) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        remove(this.lingering, subscription, wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      add(this.lingering, subscription, wake);
      signal.addEventListener('abort', wake);
    });
  }
}

type Sleepers = Map<string, Set<() => void>>;

function add(sleepers: Sleepers, subscription: string, wake: () => void): void {
  sleepers.set(subscription, (sleepers.get(subscription) ?? new Set()).add(wake));
}

function remove(sleepers: Sleepers, subscription: string, wake: () => void): void {
  const all = sleepers.get(subscription);
  if (all?.delete(wake) === true && all.size === 0) sleepers.delete(subscription);
}

function wakeAll(sleepers: Sleepers, subscription: string): void {
  for (const wake of [...(sleepers.get(subscription) ?? [])]) wake();
}
