import { findBrokenLink, firstHash, metadataOf } from './event-metadata';
import type { LogEvidence } from './log-checkpoints/log-evidence';
import type { RecordedEvent } from './ports/event-store.port';
import {
  type MissingEvents,
  newScan,
  type ScannableStore,
  scanLog,
  type ScanProgress,
  type ScanState,
} from './scan-log';

export interface LogVerification {
  readonly events: number;
  readonly streams: number;
  /** For each stream with a broken hash chain, the first event that does not continue it. */
  readonly broken: readonly RecordedEvent[];
  /** Removed events, in stores with gapless positions. */
  readonly missing: readonly MissingEvents[];
}

/** What a verification knows after the events that it has read. A later one continues from it. */
export interface VerificationState {
  readonly scan: ScanState;
  readonly chains: HashChains;
}

export function newVerification(): VerificationState {
  return { scan: newScan(), chains: new HashChains() };
}

/** The state as a structured clone, such as that of `v8.serialize`, returns it: without classes. */
export function restoredVerification({ scan, chains }: VerificationState): VerificationState {
  return { scan, chains: HashChains.from(chains) };
}

/** The verified end of a stream; undefined after a break, because later events prove nothing. */
type ChainEnd = { readonly hash: string; readonly nextRevision: number } | undefined;

/** The hash chains of all streams. Add the events of each stream in order. */
export class HashChains {
  private readonly ends = new Map<string, ChainEnd>();
  private readonly brokenLinks: RecordedEvent[] = [];

  /** From the fields of another one, which was stored. */
  static from(stored: object): HashChains {
    return Object.assign(new HashChains(), stored);
  }

  get streams(): number {
    return this.ends.size;
  }

  /** For each stream with a broken hash chain, the first event that does not continue it. */
  get broken(): readonly RecordedEvent[] {
    return this.brokenLinks;
  }

  /** Whether the event continues the chain. After a break no event of the stream does. */
  add(event: RecordedEvent): boolean {
    const end = this.ends.has(event.stream) ? this.ends.get(event.stream) : { hash: firstHash, nextRevision: 0 };
    if (end === undefined) return false;
    const continued = continueChain(event, end);
    if (continued === undefined) this.brokenLinks.push(event);
    this.ends.set(event.stream, continued);
    return continued !== undefined;
  }
}

/**
 * Scans the whole log and verifies the hash chain of every stream. It finds events that were changed, moved, inserted
 * or removed before another one. Truncating a stream leaves a valid chain; in stores with gapless positions the missing
 * positions show it, except at the end of the log. The chains have no key: events that were changed and chained again are
 * found only with the signed checkpoints of `evidence`.
 */
export async function verifyLog(
  store: ScannableStore,
  report?: (progress: ScanProgress) => void,
  pageSize?: number,
  evidence?: LogEvidence,
  { scan, chains }: VerificationState = newVerification(),
): Promise<LogVerification> {
  const visit = (event: RecordedEvent): void => {
    const continuesChain = chains.add(event);
    evidence?.add(event, continuesChain);
  };
  const { events, missing } = await scanLog(store, visit, report, pageSize, scan);
  return { events, streams: chains.streams, broken: chains.broken, missing };
}

function continueChain(event: RecordedEvent, { hash, nextRevision }: NonNullable<ChainEnd>): ChainEnd {
  try {
    if (findBrokenLink([event], hash, nextRevision) !== undefined) return undefined;
    return { hash: metadataOf(event).hash, nextRevision: nextRevision + 1 };
  } catch {
    // Unreadable metadata has been changed as well.
    return undefined;
  }
}
