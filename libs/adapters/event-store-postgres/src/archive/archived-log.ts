import { ArchiveUnavailable, isInCategory, type Position, type RecordedEvent } from '@florin/event-sourcing';
import type { Pool } from 'pg';
import type { ArchiveFile } from './archive-file';
import type { ArchiveFolder } from './archive-folder';

/** Consecutive events of a stream in one file. */
export interface ArchivedSegment {
  readonly stream: string;
  readonly lastRevision: number;
  readonly first: Position;
  readonly last: Position;
  readonly file: number;
}

/**
 * The events in archive files. Read it after the events in the database: a file is recorded before its events are deleted, so
 * every event is in at least one of the two, and some may be in both.
 */
export class ArchivedLog {
  constructor(
    private readonly pool: Pool,
    private readonly folder: ArchiveFolder | undefined,
  ) {}

  files(): Promise<readonly ArchiveFile[]> {
    return readArchiveFiles(this.pool);
  }

  /** The events after a position up to another one, in order. */
  async between(after: Position, to: Position, categories?: readonly string[]): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    let filesWithEvents = 0;
    for (const file of await this.files()) {
      const before = found.length;
      for await (const events of this.blocksBetween(file, after, to)) {
        for (const event of events) {
          if (event.position > after && event.position <= to && isInCategory(event.stream, categories)) {
            found.push(event);
          }
        }
      }
      if (found.length > before) filesWithEvents += 1;
    }
    return filesWithEvents > 1 ? found.sort(byPosition) : found;
  }

  /** The events of the segment from a revision on, in pages. */
  async *stream(
    { stream, lastRevision, first, last, file: number }: ArchivedSegment,
    fromRevision: number,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    const file = (await this.files()).find((each) => each.number === number);
    if (file === undefined) throw new ArchiveUnavailable(`Archive file ${number} of stream ${stream} is not recorded`);
    let next = fromRevision;
    for await (const events of this.blocksBetween(file, first - 1n, last)) {
      const page = events.filter((event) => event.stream === stream && event.revision >= next);
      if (page.length === 0) continue;
      next = page.at(-1)!.revision + 1;
      yield page;
    }
    if (next > lastRevision) return;
    throw new ArchiveUnavailable(`Archive file ${file.name} does not have revision ${next} of stream ${stream}`);
  }

  private async *blocksBetween(
    file: ArchiveFile,
    after: Position,
    to: Position,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    if (file.last <= after || file.first > to) return;
    const { folder } = this;
    if (folder === undefined) {
      throw new ArchiveUnavailable(`Archive file ${file.name} is needed. Set ARCHIVE_DIR to the folder that has it`);
    }
    const { blocks } = await folder.header(file);
    for (const block of blocks) {
      if (block.last > after && block.first <= to) yield await folder.readBlock(file, block);
    }
  }
}

const allFiles = {
  name: 'read-archive-files',
  text: `SELECT number, name, hash, previous, first_position::text AS first, last_position::text AS last, events,
      bytes::text AS bytes, is_emptied AS "isEmptied"
    FROM event_store.archive_files ORDER BY number`,
};

interface FileRow extends Omit<ArchiveFile, 'first' | 'last' | 'bytes'> {
  readonly first: string;
  readonly last: string;
  readonly bytes: string;
}

export async function readArchiveFiles(pool: Pick<Pool, 'query'>): Promise<readonly ArchiveFile[]> {
  const { rows } = await pool.query<FileRow>(allFiles);
  return rows.map((row) => ({
    ...row,
    first: BigInt(row.first),
    last: BigInt(row.last),
    bytes: Number(row.bytes),
  }));
}

function byPosition(one: RecordedEvent, other: RecordedEvent): number {
  return one.position < other.position ? -1 : 1;
}
