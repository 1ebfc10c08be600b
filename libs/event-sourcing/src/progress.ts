import type { Position } from './ports/event-store.port';

/**
 * How far the subscriptions of this very process have got, known without asking a database. Whoever waits for one is
 * woken when it moves.
 */
export class Progress {
  private readonly shards = new Map<string, (Position | undefined)[]>();
  private waiters: (() => void)[] = [];

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

  /** Whether every shard is known here to have passed the position. A shard run elsewhere is not known. */
  hasReached(subscription: string, position: Position): boolean {
    const positions = this.shards.get(subscription);
    return positions !== undefined && positions.every((reached) => reached !== undefined && reached >= position);
  }

  /** Resolves at the next move of anything, or after the given time. */
  async moved(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
