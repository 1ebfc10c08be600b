import type { Clock } from '@florin/kernel';

/** A clock that advances only on request, and abort signals that depend on it. */
export class VirtualTime implements Clock {
  private nowMs: number;
  private alarms: { readonly atMs: number; readonly controller: AbortController }[] = [];

  constructor(start: string) {
    this.nowMs = Date.parse(start);
  }

  now(): Date {
    return new Date(this.nowMs);
  }

  abortAfter(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    this.alarms.push({ atMs: this.nowMs + milliseconds, controller });
    return controller.signal;
  }

  advance(milliseconds: number): void {
    this.nowMs += milliseconds;
    const due = this.alarms.filter(({ atMs }) => atMs <= this.nowMs);
    this.alarms = this.alarms.filter(({ atMs }) => atMs > this.nowMs);
    for (const { controller } of due) controller.abort();
  }
}
