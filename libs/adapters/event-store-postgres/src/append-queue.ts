import type { PendingAppend } from './pending-append';

const nothing: PendingAppend[] = [];

/**
 * The appends that wait to be written, in order of arrival. Only one append per stream is taken at a time, so a batch
 * never contains two of the same stream and can only conflict with other writers.
 */
export class AppendQueue {
  private readonly ready: PendingAppend[] = [];
  /** The streams with an append that is ready or taken, each with the appends behind it. */
  private readonly streams = new Map<string, PendingAppend[]>();
  private unsettled = 0;
  private eventsReady = 0;

  /** How many appends are not settled yet. */
  get size(): number {
    return this.unsettled;
  }

  /** How many events can be taken now. */
  get readyEvents(): number {
    return this.eventsReady;
  }

  get hasReady(): boolean {
    return this.ready.length > 0;
  }

  put(append: PendingAppend): void {
    this.unsettled += 1;
    const behind = this.streams.get(append.stream);
    if (behind === undefined) {
      // Hardly any stream has more than one waiting append, so the others share one empty list.
      this.streams.set(append.stream, nothing);
      this.makeReady(append);
    } else if (behind === nothing) {
      this.streams.set(append.stream, [append]);
    } else {
      behind.push(append);
    }
  }

  /** Takes at most this many events, unless a single append has more. */
  take(maxEvents: number): PendingAppend[] {
    let events = 0;
    let count = 0;
    for (const append of this.ready) {
      events += append.events.length;
      if (count > 0 && events > maxEvents) break;
      count += 1;
    }
    const taken = this.ready.splice(0, count);
    for (const append of taken) this.eventsReady -= append.events.length;
    return taken;
  }

  /** Puts appends that could not be written yet before all others. */
  putBack(appends: readonly PendingAppend[]): void {
    this.ready.unshift(...appends);
    for (const append of appends) this.eventsReady += append.events.length;
  }

  /** Makes the next append of the same stream ready. */
  settled(append: PendingAppend): void {
    this.unsettled -= 1;
    const behind = this.streams.get(append.stream);
    const next = behind?.shift();
    if (next === undefined) this.streams.delete(append.stream);
    else this.makeReady(next);
  }

  private makeReady(append: PendingAppend): void {
    this.ready.push(append);
    this.eventsReady += append.events.length;
  }
}
