import type { Caller } from '../measure';

/** A way to append events. Every caller appends one at a time and waits until it is durable. */
export interface AppendContestant {
  /** Each caller goes round streams of its own. */
  manyStreams(callers: number): readonly Caller[];
  /** All callers append to the same stream. */
  hotStream(callers: number): readonly Caller[];
  close(): Promise<void>;
}

export const streamsPerCaller = 50;

/** The streams of one caller, each with the number of events it has, taken in turn. */
export class OwnStreams {
  private readonly streams: { readonly name: string; events: number }[];
  private turn = 0;

  constructor(newName: () => string) {
    this.streams = Array.from({ length: streamsPerCaller }, () => ({ name: newName(), events: 0 }));
  }

  next(): { readonly name: string; events: number } {
    this.turn = (this.turn + 1) % this.streams.length;
    return this.streams[this.turn]!;
  }
}
