import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** About two milliseconds of simple work. */
const itemsPerTurn = 500;

/** Maps a long list without blocking the event loop, which serves the requests of all companies. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += itemsPerTurn) {
    if (start > 0) await eventLoopTurn();
    for (const item of items.slice(start, start + itemsPerTurn)) results.push(resultOf(item));
  }
  return results;
}
