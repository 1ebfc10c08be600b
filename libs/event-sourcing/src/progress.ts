import type { Position } from './ports/event-store.port';

export interface ShardPosition {
  readonly subscription: string;
  readonly shard: number;
  readonly position: Position;
}

/**
 * How far subscriptions have got, those of this process and those it is told of, known without asking a database. Whoever waits for one is
 * woken when it moves.
 */
export class Progress {
  private readonly shards = new Map<string, (Position | undefined)[]>();
  private waiters: (() => void)[] = [];
  private readonly lingering = new Set<() => void>();
  /** Called when somebody begins to wait: subscriptions that run elsewhere may want to hear of it, too. */
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

  /** A shard has gone elsewhere: from now on only others know how far it is. */
  forget(subscription: string, shard: number): void {
    const positions = this.shards.get(subscription);
    if (positions !== undefined) positions[shard] = undefined;
  }

  /** How far each shard that is known here has got. */
  known(): readonly ShardPosition[] {
    return [...this.shards].flatMap(([subscription, positions]) =>
      positions.flatMap((position, shard) => (position === undefined ? [] : [{ subscription, shard, position }])),
    );
  }

  /** Whether every shard is known here to have passed the position. A shard run elsewhere is not known. */
  hasReached(subscription: string, position: Position): boolean {
    const positions = this.shards.get(subscription);
    return positions !== undefined && positions.every((reached) => reached !== undefined && reached >= position);
  }

  /** Resolves at the next move of anything, or after the given time. Whoever lingers is told that somebody waits. */
  async moved(withinMs: number): Promise<void> {
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
   * Lets work gather for a moment, so that a busy log is dealt with in few large batches. It is over at once while
   * somebody waits for progress, and as soon as somebody begins to.
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
