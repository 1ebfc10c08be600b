import type { ClaimedDelivery } from './delivery-queue.port';
import type { AttemptSlot } from './endpoint-scheduler';

/**
 * Marks attempts as slow that take longer than `slowMs`. One timer serves all attempts, because a timer per attempt would
 * be expensive and nearly all attempts end before.
 */
export class SlowAttemptDetector {
  /** In the order in which the attempts started. */
  private readonly startedAt = new Map<AttemptSlot, number>();
  private readonly slow = new Set<AttemptSlot>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly slowMs: number,
    private readonly onSlow: () => void,
  ) {}

  add(slot: AttemptSlot): void {
    this.startedAt.set(slot, performance.now());
    this.timer ??= setTimeout(() => this.check(), this.slowMs);
  }

  delete(slot: AttemptSlot): void {
    if (!this.startedAt.delete(slot)) this.slow.delete(slot);
  }

  deliveries(): ClaimedDelivery[] {
    return [...this.startedAt.keys(), ...this.slow].map(({ delivery }) => delivery);
  }

  /** Runs again when the oldest remaining attempt becomes slow. */
  private check(): void {
    this.timer = undefined;
    const now = performance.now();
    const before = this.slow.size;
    for (const [slot, startedAt] of this.startedAt) {
      if (now - startedAt < this.slowMs) {
        this.timer = setTimeout(() => this.check(), this.slowMs - (now - startedAt));
        break;
      }
      this.startedAt.delete(slot);
      this.slow.add(slot);
      slot.markSlow();
    }
    if (this.slow.size > before) this.onSlow();
  }
}
