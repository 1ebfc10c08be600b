import { findBrokenLink, firstHash, metadataOf } from './event-metadata';
import type { RecordedEvent } from './ports/event-store.port';
import { type MissingEvents, type ScannableStore, scanLog, type ScanProgress } from './scan-log';

export interface LogVerification {
  readonly events: number;
  readonly streams: number;
  /** For each stream that does not stand as it was written, the first event that does not continue its chain. */
  readonly broken: readonly RecordedEvent[];
  /** What was removed, in stores that show it. */
  readonly missing: readonly MissingEvents[];
}

/** How far a stream is known to be sound; nothing once its chain is broken, because what follows proves nothing. */
type ChainEnd = { readonly hash: string; readonly nextRevision: number } | undefined;

/** The hash chains of all streams, as far as their events were shown, each stream in its order. */
export class HashChains {
  private readonly ends = new Map<string, ChainEnd>();
  private readonly brokenLinks: RecordedEvent[] = [];

  get streams(): number {
    return this.ends.size;
  }

  /** For each stream that does not stand as it was written, the first event that does not continue its chain. */
  get broken(): readonly RecordedEvent[] {
    return this.brokenLinks;
  }

  add(event: RecordedEvent): void {
    const end = this.ends.has(event.stream) ? this.ends.get(event.stream) : { hash: firstHash, nextRevision: 0 };
    if (end === undefined) return;
    const continued = continueChain(event, end);
    if (continued === undefined) this.brokenLinks.push(event);
    this.ends.set(event.stream, continued);
  }
}

/**
 * Walks the whole log and checks the hash chain of every stream: an event that was changed, moved, inserted or dropped
 * before another one shows. Events cut off at the end of a stream leave a sound chain behind; they show by their
 * positions, in stores that count these one by one, unless they were the last of the log.
 */
export async function verifyLog(
  store: ScannableStore,
  report?: (progress: ScanProgress) => void,
  pageSize?: number,
): Promise<LogVerification> {
  const chains = new HashChains();
  const { events, missing } = await scanLog(store, (event) => chains.add(event), report, pageSize);
  return { events, streams: chains.streams, broken: chains.broken, missing };
}

function continueChain(event: RecordedEvent, { hash, nextRevision }: NonNullable<ChainEnd>): ChainEnd {
  try {
    if (findBrokenLink([event], hash, nextRevision) !== undefined) return undefined;
    return { hash: metadataOf(event).hash, nextRevision: nextRevision + 1 };
  } catch {
    // Metadata that cannot even be read has been changed, too.
    return undefined;
  }
}
