import { findBrokenLink, firstHash, metadataOf } from './event-metadata';
import type { LogEvidence } from './log-checkpoints/log-evidence';
import { categoryOf, type RecordedEvent } from './ports/event-store.port';
import {
  type MissingEvents,
  newScan,
  type ScannableStore,
  scanLog,
  type ScanProgress,
  type ScanState,
} from './scan-log';
import { UuidRecords } from './uuid-records';

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
  /** The ends of streams that are not named `<category>-<UUID>`, such as those of accounts, and of broken chains. */
  private readonly ends = new Map<string, ChainEnd>();
  /** The ends of all other streams, by category. There may be millions. */
  private readonly records = new Map<string, UuidRecords>();
  private readonly brokenLinks: RecordedEvent[] = [];

  /** From the fields of another one, which was stored. */
  static from(stored: object): HashChains {
    const chains = Object.assign(new HashChains(), stored);
    for (const [category, records] of chains.records) chains.records.set(category, UuidRecords.from(records));
    return chains;
  }

  get streams(): number {
    let count = 0;
    for (const stream of this.ends.keys()) if (this.recordOf(stream) === undefined) count += 1;
    for (const { size } of this.records.values()) count += size;
    return count;
  }

  /** For each stream with a broken hash chain, the first event that does not continue it. */
  get broken(): readonly RecordedEvent[] {
    return this.brokenLinks;
  }

  /** Whether the event continues the chain. After a break no event of the stream does. */
  add(event: RecordedEvent): boolean {
    const { stream } = event;
    const record = this.ends.has(stream) ? undefined : this.recordOf(stream);
    const end = record === undefined ? this.ends.get(stream) : endIn(record);
    if (end === undefined && this.ends.has(stream)) return false;
    const continued = continueChain(event, end ?? noEvents);
    if (continued === undefined) this.brokenLinks.push(event);
    if (continued === undefined || !this.setEnd(stream, record, continued)) this.ends.set(stream, continued);
    return continued !== undefined;
  }

  private recordOf(stream: string): ChainRecord | undefined {
    const category = categoryOf(stream);
    const records = this.records.get(category);
    const offset = records?.find(stream.slice(category.length + 1));
    return offset === undefined ? undefined : { bytes: records!.bytes, offset };
  }

  /** Returns whether the stream can have a record. */
  private setEnd(stream: string, record: ChainRecord | undefined, end: NonNullable<ChainEnd>): boolean {
    const known = record ?? this.newRecord(stream);
    if (known === undefined) return false;
    const { bytes, offset } = known;
    bytes.write(end.hash, offset, 'hex');
    bytes.writeUInt32LE(end.nextRevision, offset + hashSize);
    return true;
  }

  private newRecord(stream: string): ChainRecord | undefined {
    const category = categoryOf(stream);
    let records = this.records.get(category);
    if (records === undefined) this.records.set(category, (records = new UuidRecords(hashSize + revisionSize)));
    const offset = records.add(stream.slice(category.length + 1));
    return offset === undefined ? undefined : { bytes: records.bytes, offset };
  }
}

interface ChainRecord {
  readonly bytes: Buffer;
  readonly offset: number;
}

function endIn({ bytes, offset }: ChainRecord): NonNullable<ChainEnd> {
  const hash = bytes.toString('hex', offset, offset + hashSize);
  return { hash, nextRevision: bytes.readUInt32LE(offset + hashSize) };
}

const noEvents = { hash: firstHash, nextRevision: 0 };
/** SHA-256. */
const hashSize = 32;
const revisionSize = 4;

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
