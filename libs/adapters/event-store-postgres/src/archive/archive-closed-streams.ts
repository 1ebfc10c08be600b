import type { LogSigningKey, Position, RecordedEvent } from '@florin/event-sourcing';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type ArchiveFile, encodeArchive, type EncodedArchive } from './archive-file';
import { ArchiveFolder } from './archive-folder';
import { ArchiveTables, isRejected, type LiveStream } from './archive-tables';
import { readArchiveFiles } from './archived-log';
import { ClosedStreamSearch, type ClosedStreamSearchOptions } from './closed-stream-search';

export interface ArchiveProgress {
  /** What has just been completed. Everything before it is durable. */
  readonly step: 'written' | 'recorded' | 'deleted' | 'finished';
  readonly file: string;
  readonly events: number;
  readonly streams: number;
}

export interface ArchiveRunOptions extends ClosedStreamSearchOptions {
  readonly pool: Pool;
  readonly directory: string;
  readonly key?: LogSigningKey;
  readonly report: (progress: ArchiveProgress) => void;
  /** Counts, and changes nothing. */
  readonly dryRun?: boolean;
  readonly eventsPerFile?: number;
  /** Between deletions, so that other statements are not delayed. */
  readonly pauseMs?: number;
}

export interface ArchiveRun {
  readonly files: number;
  readonly events: number;
  readonly streams: number;
  /** The characters of the archived rows, and the size of the files. */
  readonly textBytes: number;
  readonly archiveBytes: number;
  readonly tableBytes: { readonly before: number; readonly after: number };
  /** How far the log may be archived, and the subscription that has processed least of it. */
  readonly limit: Position;
  readonly slowestSubscription: string | undefined;
  /** Files that an interrupted run left and that no event depends on. */
  readonly unrecorded: readonly string[];
}

/** The archive is used by another run, or a recorded file is damaged. Nothing was changed. */
export class ArchiveRefused extends Error {}

const streamsPerDeletion = 500;
const maxRejections = 10;

/**
 * Moves closed streams to archive files: writes a file, reads it back, records it in the database, and only then deletes its events.
 * After a crash at any point, every event is in the database or in a recorded file, and the next run continues.
 */
export async function archiveClosedStreams(options: ArchiveRunOptions): Promise<ArchiveRun> {
  const client = await options.pool.connect();
  const tables = new ArchiveTables(client);
  try {
    if (!(await tables.lock())) throw new ArchiveRefused('Another archive run is in progress. Wait until it has ended');
    return await new Run(options, tables).execute();
  } finally {
    await tables.unlock().catch(() => undefined);
    client.release();
  }
}

class Run {
  private readonly folder: ArchiveFolder;
  private readonly search: ClosedStreamSearch;
  private files = 0;
  private events = 0;
  private streams = 0;
  private textBytes = 0;
  private archiveBytes = 0;

  constructor(
    private readonly options: ArchiveRunOptions,
    private readonly tables: ArchiveTables,
  ) {
    this.folder = new ArchiveFolder(options.directory);
    this.search = new ClosedStreamSearch(options, tables);
  }

  async execute(): Promise<ArchiveRun> {
    const { tables, folder, options } = this;
    const recorded = await this.recordedFiles();
    const before = await tables.tableBytes();
    if (!options.dryRun) for (const file of recorded.filter(({ isEmptied }) => !isEmptied)) await this.empty(file);
    const limit = await tables.limit();
    let batch: LiveStream[] = [];
    let size = 0;
    for await (const stream of this.search.closedStreams(limit)) {
      batch.push(stream);
      size += stream.events.length;
      if (size < (options.eventsPerFile ?? 50_000)) continue;
      await this.archive(batch);
      [batch, size] = [[], 0];
    }
    if (batch.length > 0) await this.archive(batch);
    const { files, events, streams, textBytes, archiveBytes } = this;
    return {
      ...{ files, events, streams, textBytes, archiveBytes, limit },
      tableBytes: { before, after: await tables.tableBytes() },
      slowestSubscription: await tables.slowestSubscription(),
      unrecorded: await folder.unrecorded(await this.recordedFiles()),
    };
  }

  /** A file that is missing here would be missing for readers of the new ones, too. */
  private async recordedFiles(): Promise<readonly ArchiveFile[]> {
    const files = await readArchiveFiles(this.options.pool);
    for (const file of files) await this.folder.header(file);
    return files;
  }

  private async archive(batch: readonly LiveStream[]): Promise<void> {
    const { dryRun = false } = this.options;
    let streams = batch;
    for (let rejections = 0; streams.length > 0; rejections++) {
      const file = dryRun ? undefined : await this.write(streams);
      try {
        if (file !== undefined) await this.tables.record(file, streams);
      } catch (error) {
        if (!isRejected(error) || rejections === maxRejections) throw error;
        await this.folder.remove(file!.name);
        streams = await this.search.stillClosed(streams);
        continue;
      }
      this.count(streams, file);
      if (file !== undefined) {
        this.report('recorded', file.name);
        await this.deleteEvents(
          file.header.number,
          file.name,
          streams.map(({ stream }) => stream),
        );
      }
      return;
    }
  }

  /** The file is complete on disk and was read back when it resolves. */
  private async write(streams: readonly LiveStream[]): Promise<EncodedArchive> {
    const { pool, key } = this.options;
    const last = (await readArchiveFiles(pool)).at(-1);
    const link = { store: await this.tables.storeId(), number: (last?.number ?? 0) + 1, previous: last?.hash ?? '' };
    const events = streams.flatMap((stream) => stream.events).sort(byPosition);
    const file = await encodeArchive(link, events, key);
    await this.folder.write(file);
    await this.requireReadable(file, events);
    this.report('written', file.name);
    return file;
  }

  /** Compares the file on disk, not its copy in memory, with the events. */
  private async requireReadable(file: EncodedArchive, events: readonly RecordedEvent[]): Promise<void> {
    const { header, name, hash, bytes } = file;
    const { number, previous } = header;
    const positions = { first: BigInt(header.first), last: BigInt(header.last) };
    const known = { number, name, hash, previous, ...positions, events: events.length, bytes, isEmptied: false };
    const reader = new ArchiveFolder(this.folder.path);
    const problem = await reader.problemOf(known);
    if (problem !== undefined) throw new ArchiveRefused(`The new file cannot be read back: ${problem}`);
    let next = 0;
    for (const block of header.blocks) {
      for (const event of await reader.readBlock(known, block)) {
        if (!isSame(event, events[next++])) throw new ArchiveRefused(`${name} does not have the events of the log`);
      }
    }
    if (next !== events.length) throw new ArchiveRefused(`${name} does not have all events of the log`);
  }

  /** Continues the deletion of a run that was interrupted. */
  private async empty(file: ArchiveFile): Promise<void> {
    const problem = await this.folder.problemOf(file);
    if (problem !== undefined) throw new ArchiveRefused(`${problem}. Its events have not been deleted`);
    await this.deleteEvents(file.number, file.name, await this.tables.streamsIn(file.number));
  }

  private async deleteEvents(number: number, name: string, streams: readonly string[]): Promise<void> {
    const { signal, pauseMs = 20 } = this.options;
    for (let index = 0; index < streams.length; index += streamsPerDeletion) {
      signal.throwIfAborted();
      await this.tables.delete(number, streams.slice(index, index + streamsPerDeletion));
      this.report('deleted', name);
      await pause(pauseMs);
    }
    await this.tables.finish(number);
    this.report('finished', name);
  }

  private count(streams: readonly LiveStream[], file: EncodedArchive | undefined): void {
    if (file !== undefined) this.files += 1;
    this.archiveBytes += file?.bytes ?? 0;
    this.streams += streams.length;
    for (const { events } of streams) {
      this.events += events.length;
      for (const event of events) this.textBytes += event.data.length + event.metadata.length;
    }
  }

  private report(step: ArchiveProgress['step'], file: string): void {
    this.options.report({ step, file, events: this.events, streams: this.streams });
  }
}

function isSame(one: RecordedEvent, other: RecordedEvent | undefined): boolean {
  if (other === undefined) return false;
  const { position, stream, revision, id, type, data, metadata } = one;
  const isSamePlace = position === other.position && stream === other.stream && revision === other.revision;
  return isSamePlace && id === other.id && type === other.type && data === other.data && metadata === other.metadata;
}

function byPosition(one: RecordedEvent, other: RecordedEvent): number {
  return one.position < other.position ? -1 : 1;
}
