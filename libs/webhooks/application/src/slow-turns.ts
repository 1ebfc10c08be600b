import type { ClaimedDelivery } from './delivery-queue.port';
import type { Turn } from './endpoint-lanes';

/**
 * The attempts under way, in the order in which they began. It looks now and then for those that take long, which is
 * much cheaper than a timer for each, since nearly all of them end before.
 */
export class SlowTurns {
  private readonly begun = new Map<Turn, number>();
  private readonly slow = new Set<Turn>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly slowMs: number,
    private readonly onFound: () => void,
  ) {}

  add(turn: Turn): void {
    this.begun.set(turn, performance.now());
    this.timer ??= setTimeout(() => this.look(), this.slowMs);
  }

  delete(turn: Turn): void {
    if (!this.begun.delete(turn)) this.slow.delete(turn);
  }

  deliveries(): ClaimedDelivery[] {
    return [...this.begun.keys(), ...this.slow].map(({ delivery }) => delivery);
  }

  /** Comes back when the oldest of the others would be slow. */
  private look(): void {
    this.timer = undefined;
    const now = performance.now();
    const found = this.slow.size;
    for (const [turn, begunAt] of this.begun) {
      if (now - begunAt < this.slowMs) {
        this.timer = setTimeout(() => this.look(), this.slowMs - (now - begunAt));
        break;
      }
      this.begun.delete(turn);
      this.slow.add(turn);
      turn.takesLong();
    }
    if (this.slow.size > found) this.onFound();
  }
}
