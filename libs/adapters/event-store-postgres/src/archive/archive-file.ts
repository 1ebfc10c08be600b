import { type LogPublicKeys, type LogSigningKey, type Position, type RecordedEvent } from '@florin/event-sourcing';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Events with ascending positions, compressed together. */
export interface ArchiveBlock {
  /** From the end of the header. */
  readonly offset: number;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
  readonly sha256: string;
}

/** The first line of a file. The rest are gzip members with one event per line: `tail -n +2 <file> | zcat` prints them. */
export interface ArchiveHeader {
  readonly format: 'florin-archive';
  readonly version: 1;
  readonly store: string;
  readonly number: number;
  /** The hash of the previous file; empty in the first one. */
  readonly previous: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  readonly bytes: number;
  /** Of everything after the header. */
  readonly sha256: string;
  readonly blocks: readonly ArchiveBlock[];
  readonly publicKey?: string;
  readonly signature?: string;
}

/** A file as the database knows it. */
export interface ArchiveFile {
  readonly number: number;
  readonly name: string;
  /** SHA-256 of the header. */
  readonly hash: string;
  readonly previous: string;
  readonly first: Position;
  readonly last: Position;
  readonly events: number;
  readonly bytes: number;
  readonly isEmptied: boolean;
}

export interface EncodedArchive {
  readonly name: string;
  readonly hash: string;
  readonly header: ArchiveHeader;
  readonly parts: readonly Buffer[];
  readonly bytes: number;
}

export type ArchiveLink = Pick<ArchiveHeader, 'store' | 'number' | 'previous'>;

const eventsPerBlock = 500;
const signatureTag = 'florin archive file v1';
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** `events` are in the order of the log. The name contains the hash, so that no file replaces another one. */
export async function encodeArchive(
  link: ArchiveLink,
  events: readonly RecordedEvent[],
  key?: LogSigningKey,
): Promise<EncodedArchive> {
  const contents: Buffer[] = [];
  const blocks: ArchiveBlock[] = [];
  let offset = 0;
  for (let index = 0; index < events.length; index += eventsPerBlock) {
    const block = events.slice(index, index + eventsPerBlock);
    const content = await compress(block.map(toLine).join(''));
    const [first, last] = [Number(block[0]!.position), Number(block.at(-1)!.position)];
    blocks.push({ offset, bytes: content.length, first, last, sha256: hash('sha256', content) });
    contents.push(content);
    offset += content.length;
  }
  const unsigned: ArchiveHeader = {
    format: 'florin-archive',
    version: 1,
    ...link,
    first: blocks[0]!.first,
    last: blocks.at(-1)!.last,
    events: events.length,
    bytes: offset,
    sha256: hash('sha256', Buffer.concat(contents)),
    blocks,
    ...(key !== undefined && { publicKey: key.publicKey.text }),
  };
  const signature = key?.signText(signatureTag, JSON.stringify(unsigned));
  const header = signature === undefined ? unsigned : { ...unsigned, signature };
  const line = JSON.stringify(header);
  const headerHash = hash('sha256', line);
  const name = `archive-${String(link.number).padStart(6, '0')}-${headerHash.slice(0, 16)}.jsonl.gz`;
  const parts = [Buffer.from(`${line}\n`), ...contents];
  return { name, hash: headerHash, header, parts, bytes: parts.reduce((sum, { length }) => sum + length, 0) };
}

/** `line` has the expected hash, so it is what Florin has written. A later version may differ. */
export function parseHeader(line: string): ArchiveHeader {
  const header = JSON.parse(line) as ArchiveHeader;
  if (header.format === 'florin-archive' && header.version === 1) return header;
  throw new Error(`it has the format ${header.format} ${header.version}, which this release does not know`);
}

/** False if one of the keys has signed something else. True without a signature, or with one of an unknown key. */
export function hasValidSignature({ signature, ...unsigned }: ArchiveHeader, keys: LogPublicKeys): boolean {
  if (signature === undefined) return true;
  const key = keys.all.find(({ text }) => text === unsigned.publicKey);
  return key === undefined || key.verifiesText(signatureTag, JSON.stringify(unsigned), signature);
}

/** Throws if the bytes are not those of the block. */
export async function decodeBlock({ sha256 }: ArchiveBlock, content: Buffer): Promise<readonly RecordedEvent[]> {
  if (hash('sha256', content) !== sha256) throw new Error('its content was changed');
  const text = (await decompress(content)).toString('utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => toEvent(JSON.parse(line) as EventLine));
}

type EventLine = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
];

/** Texts stay texts, because they are hashed exactly as they are. */
function toLine({ position, stream, revision, id, type, data, metadata }: RecordedEvent): string {
  const line: EventLine = [Number(position), stream, revision, id, type, data, metadata];
  return `${JSON.stringify(line)}\n`;
}

function toEvent([position, stream, revision, id, type, data, metadata]: EventLine): RecordedEvent {
  return { id, type, data, metadata, stream, revision, position: BigInt(position) };
}
