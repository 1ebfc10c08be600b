import type { Clock } from '@florin/kernel';
import type { WatcherTime } from '../tron-options';

/** A time that passes only in pauses, and then at once. */
export class VirtualTime implements WatcherTime, Clock {
  readonly pauses: number[] = [];
  private passedMs = 0;

  constructor(
    private readonly startMs: number,
    private readonly onPause: (passedMs: number) => void = () => undefined,
  ) {}

  nowMs(): number {
    return this.passedMs;
  }

  now(): Date {
    return new Date(this.startMs + this.passedMs);
  }

  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.pauses.push(milliseconds);
    this.passedMs += milliseconds;
    this.onPause(this.passedMs);
    // Let other tasks run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
