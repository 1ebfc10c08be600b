import type { RecordedEvent } from '@florin/event-sourcing';
import fc from 'fast-check';

export type Batches = readonly (readonly RecordedEvent[])[];

/** The end of each batch, in thousandths of the history, and the number of redelivered events before it. */
export type Cuts = readonly { readonly end: number; readonly again: number }[];

/** Without bias to extremes, which would give empty or full batches. */
const thousandths = fc.noBias(fc.nat({ max: 1_000 }));

export const cuts: fc.Arbitrary<Cuts> = fc.array(fc.record({ end: thousandths, again: fc.nat({ max: 4 }) }), {
  minLength: 1,
  maxLength: 5,
});

/** The history in batches of any size, each of which may start with redelivered events. */
export function cutInto(events: readonly RecordedEvent[], at: Cuts): Batches {
  let begin = 0;
  const ends = [...at].sort((one, other) => one.end - other.end);
  return [...ends, { end: 1_000, again: 0 }].map(({ end, again }) => {
    const from = Math.max(0, begin - again);
    begin = Math.round((end / 1_000) * events.length);
    return events.slice(from, begin);
  });
}
