import { type EventStoreKind, markedEventStore, writeEventStoreMark } from '@florin/database';
import { isCopied, pagesOf, recordMove, type StoreOpener } from '@florin/event-sourcing';
import type { Config, LogCopyStores } from '@florin/runtime/tools';
import { CommandFailed } from '../cli-errors';

/** The source got events after it was verified. */
export class LostEvents extends CommandFailed {}

/**
 * After the switch: the source says that it was moved, which also a new database respects. Only EventStoreDB needs it; the
 * database itself refuses appends to its own events.
 */
export async function closeSource(
  from: EventStoreKind,
  to: EventStoreKind,
  { id, sourceHead }: { readonly id: string; readonly sourceHead?: bigint },
  { source }: LogCopyStores,
  { FLORIN_DATA_DIR, DATABASE_URL }: Config,
  opener: StoreOpener,
): Promise<void> {
  if (DATABASE_URL === undefined && markedEventStore(FLORIN_DATA_DIR) !== undefined) {
    writeEventStoreMark(FLORIN_DATA_DIR, to);
  }
  if (from !== 'eventstoredb') return;
  const end = await recordMove(source, { kind: to, storeId: id }, opener);
  if (sourceHead === undefined) return;
  for await (const { events } of pagesOf(source, sourceHead, end)) {
    const lost = events.filter(isCopied);
    if (lost.length === 0) continue;
    throw new LostEvents(
      `The log is in ${to} now, but a process that was not stopped wrote ${lost.length} events to ${from} during the switch, from ` +
        `${lost[0]!.stream}@${lost[0]!.revision} on. They are not in the copy. Do not start Florin: restore the backup of the database and run this again.`,
    );
  }
}
