import type { Caller } from '../measure';

/** A way to append events. Every caller appends one event at a time and waits until it is durable. */
export interface AppendContestant {
  /** Each caller appends to its own streams, round-robin. */
  manyStreams(callers: number): readonly Caller[];
  /** All callers append to the same stream. */
  hotStream(callers: number): readonly Caller[];
  close(): Promise<void>;
}

export const streamsPerCaller = 50;

/** The streams of one caller with their event counts, round-robin. */
export class RoundRobinStreams {
  private readonly streams: { readonly name: string; events: number }[];
  private index = 0;

  constructor(newName: () => string) {
    this.streams = Array.from({ length: streamsPerCaller }, () => ({ name: newName(), events: 0 }));
  }

  next(): { readonly name: string; events: number } {
    this.index = (this.index + 1) % this.streams.length;
    return this.streams[this.index]!;
  }
}
