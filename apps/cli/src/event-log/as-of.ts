import { type AsOf, parseAsOf } from '@florin/audit';
import { type Position, positionBefore, type ScannableStore } from '@florin/event-sourcing';
import { UsageError } from '../cli-errors';

/** The value of an option that names a past state of the log. */
export function readAsOf(option: string, text: string): AsOf {
  const asOf = parseAsOf(text);
  if (asOf !== undefined) return asOf;
  throw new UsageError(
    `${option} ${text} is neither a position of the log nor a time. ` +
      'Examples: 1200, 2030-01-31 (including that day, in UTC), 2030-01-31T12:00:00Z.',
  );
}

/** The position of the last event up to then. */
export async function endOfLog(store: Pick<ScannableStore, 'head' | 'readAll'>, asOf: AsOf): Promise<Position> {
  const { position, before } = asOf;
  const head = await store.head();
  if (position !== undefined && position > head) throw new UsageError(`The log ends at position ${head}.`);
  const end = position ?? (before === undefined ? head : await positionBefore(store, before));
  if (end > 0n) return end;
  throw new UsageError('No event was recorded before that time.');
}
