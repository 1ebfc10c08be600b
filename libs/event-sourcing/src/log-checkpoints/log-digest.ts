import { hash } from 'node:crypto';
import { beforeFirst, type Position, type RecordedEvent } from '../ports/event-store.port';

/** What the whole log up to a position amounts to. */
export interface LogState {
  readonly position: Position;
  /** The number of events up to the position. */
  readonly count: number;
  /** SHA-256 chained over all events in the order of the log, hexadecimal. */
  readonly hash: string;
  /**
   * The sum of the digests of all events, hexadecimal, independent of their order. It only distinguishes reordered events
   * from changed ones; the proof is `hash`.
   */
  readonly contents: string;
}

const zeros = '0'.repeat(64);

export const emptyLogState: LogState = { position: beforeFirst, count: 0, hash: zeros, contents: zeros };

/** The state of the log, event by event. Independent of the hash chains of streams, which have no key. */
export class LogDigest {
  private reached: Position;
  private counted: number;
  private chained: string;
  /** Eight numbers of 32 bits that wrap around. */
  private readonly sum: Uint32Array;

  constructor({ position, count, hash: chained, contents }: LogState = emptyLogState) {
    this.reached = position;
    this.counted = count;
    this.chained = chained;
    this.sum = lanesOf(Buffer.from(contents, 'hex'));
  }

  get position(): Position {
    return this.reached;
  }

  get count(): number {
    return this.counted;
  }

  get state(): LogState {
    const { position, count } = this;
    return { position, count, hash: this.chained, contents: textOf(this.sum) };
  }

  add(event: RecordedEvent): void {
    const digest = hash('sha256', unambiguousText(event), 'buffer');
    this.chained = hash('sha256', `${this.chained}\n${event.position}\n${digest.toString('hex')}`);
    for (let lane = 0; lane < 8; lane++) this.sum[lane] = this.sum[lane]! + digest.readUInt32BE(lane * 4);
    this.reached = event.position;
    this.counted += 1;
  }
}

/** The lengths come first, so that no text can pass for the beginning of the next one. */
function unambiguousText({ stream, revision, id, type, metadata, data }: RecordedEvent): string {
  const lengths = `${revision} ${stream.length} ${id.length} ${type.length} ${metadata.length}`;
  return `${lengths}\n${stream}${id}${type}${metadata}${data}`;
}

function lanesOf(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: 8 }, (_, lane) => bytes.readUInt32BE(lane * 4));
}

function textOf(lanes: Uint32Array): string {
  const bytes = Buffer.alloc(32);
  for (const [lane, value] of lanes.entries()) bytes.writeUInt32BE(value, lane * 4);
  return bytes.toString('hex');
}
