import type { RecordedEvent } from '@florin/event-sourcing';
import fc from 'fast-check';

/** The types of the events in a hundred histories, sorted. The seed is fixed, so that a rare type is found each time. */
export async function eventTypesIn<Command>(
  histories: fc.Arbitrary<readonly Command[]>,
  run: (history: readonly Command[]) => Promise<readonly RecordedEvent[]>,
): Promise<readonly string[]> {
  const types = new Set<string>();
  for (const history of fc.sample(histories, { numRuns: 100, seed: 1 })) {
    for (const { type } of await run(history)) types.add(type);
  }
  return [...types].sort();
}
