import { ArchiveUnavailable, type LogPublicKeys, type RecordedEvent } from '@florin/event-sourcing';
import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import {
  type ArchiveBlock,
  type ArchiveFile,
  type ArchiveHeader,
  decodeBlock,
  type EncodedArchive,
  hasValidSignature,
  parseHeader,
} from './archive-file';

interface OpenedFile {
  readonly header: ArchiveHeader;
  /** Where the blocks begin. */
  readonly start: number;
}

const headerChunk = 64 * 1_024;
const cachedBlocks = 64;

/** The folder with the archive files. Everything that is read is compared with the hashes in the database first. */
export class ArchiveFolder {
  readonly path: string;
  private readonly opened = new Map<string, OpenedFile>();
  private readonly blocks = new LRUCache<string, readonly RecordedEvent[]>({ max: cachedBlocks });

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** The events of one block of the file. */
  async readBlock(file: ArchiveFile, block: ArchiveBlock): Promise<readonly RecordedEvent[]> {
    const key = `${file.hash} ${block.offset}`;
    const cached = this.blocks.get(key);
    if (cached !== undefined) return cached;
    const events = await this.reading(file, async (handle) => {
      const { start } = await this.openHeader(file, handle);
      const content = Buffer.alloc(block.bytes);
      const { bytesRead } = await handle.read(content, 0, block.bytes, start + block.offset);
      return decodeBlock(block, content.subarray(0, bytesRead));
    });
    this.blocks.set(key, events);
    return events;
  }

  async header(file: ArchiveFile): Promise<ArchiveHeader> {
    const known = this.opened.get(file.hash);
    if (known !== undefined) return known.header;
    return this.reading(file, async (handle) => (await this.openHeader(file, handle)).header);
  }

  /** What is wrong with the file, undefined if it is complete and unchanged. Reads all of it. */
  async problemOf(file: ArchiveFile, keys?: LogPublicKeys): Promise<string | undefined> {
    try {
      this.opened.delete(file.hash);
      const header = await this.header(file);
      const { start } = this.opened.get(file.hash)!;
      const digest = await this.reading(file, () => digestFrom(join(this.path, file.name), start));
      if (digest !== header.sha256) throw this.unavailable(file, 'its content was changed');
      if (header.previous !== file.previous) throw this.unavailable(file, 'it follows another file');
      if (keys !== undefined && !hasValidSignature(header, keys)) {
        throw this.unavailable(file, 'its signature is wrong');
      }
      return undefined;
    } catch (error) {
      if (error instanceof ArchiveUnavailable) return error.message;
      throw error;
    }
  }

  /** Complete and durable when it resolves. Only a complete file has its final name. */
  async write({ name, parts }: EncodedArchive): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const partial = join(this.path, `${name}.partial`);
    const handle = await open(partial, 'w', 0o600);
    try {
      for (const part of parts) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, join(this.path, name));
    await this.sync();
  }

  /** Only for a file that is not recorded in the database. */
  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }

  /** Files of interrupted runs: no event was deleted because of them. */
  async unrecorded(files: readonly ArchiveFile[]): Promise<readonly string[]> {
    const recorded = new Set(files.map(({ name }) => name));
    const names = await readdir(this.path).catch(() => []);
    return names.filter((name) => /^archive-\d+-[0-9a-f]+\.jsonl\.gz(\.partial)?$/.test(name) && !recorded.has(name));
  }

  private async reading<Result>(file: ArchiveFile, read: (handle: FileHandle) => Promise<Result>): Promise<Result> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(join(this.path, file.name), 'r');
      return await read(handle);
    } catch (error) {
      if (error instanceof ArchiveUnavailable) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw this.unavailable(file, code === 'ENOENT' ? 'it is missing' : message);
    } finally {
      await handle?.close();
    }
  }

  private async openHeader(file: ArchiveFile, handle: FileHandle): Promise<OpenedFile> {
    const known = this.opened.get(file.hash);
    if (known !== undefined) return known;
    let read = Buffer.alloc(0);
    for (let end = -1; end < 0;) {
      const chunk = Buffer.alloc(headerChunk);
      const { bytesRead } = await handle.read(chunk, 0, headerChunk, read.length);
      if (bytesRead === 0) throw new Error('its header was changed');
      read = Buffer.concat([read, chunk.subarray(0, bytesRead)]);
      end = read.indexOf('\n');
    }
    const line = read.subarray(0, read.indexOf('\n')).toString('utf8');
    if (hash('sha256', line) !== file.hash) throw new Error('its header was changed');
    const opened = { header: parseHeader(line), start: Buffer.byteLength(line) + 1 };
    this.opened.set(file.hash, opened);
    return opened;
  }

  private unavailable({ name, first, last, events }: ArchiveFile, problem: string): ArchiveUnavailable {
    return new ArchiveUnavailable(
      `Archive file ${name} with ${events} events from position ${first} to ${last} cannot be used: ${problem}. ` +
        `Set ARCHIVE_DIR to the folder that has it (now ${this.path}), or restore it from a backup`,
    );
  }

  /** Makes the new name durable. */
  private async sync(): Promise<void> {
    const handle = await open(this.path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function digestFrom(path: string, start: number): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path, { start })) digest.update(chunk as Buffer);
  return digest.digest('hex');
}
