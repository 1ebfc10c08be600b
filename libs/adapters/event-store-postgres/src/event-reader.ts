import { beforeFirst, type EventPage, type Position, type RecordedEvent } from '@florin/event-sourcing';
import type { CustomTypesConfig, Pool } from 'pg';
import type { ArchivedLog, ArchivedSegment } from './archive/archived-log';
import { contentColumns, readContents, type StoredContents } from './packing/stored-contents';
import { EventUnpacker } from './packing/unpack-event';
import type { StreamPage, PageRequest } from './stream-read-batcher';

type EventRow = [
  position: string,
  stream: string,
  revision: string,
  id: string,
  type: string,
  ...contents: StoredContents,
];
type FilteredRow = [...(EventRow | [null, null, null, null, null, null, null]), readTo: string, archivedTo: string];
/** Says that the stream continues in an archive file. */
type SegmentRow = [
  firstPosition: string,
  stream: string,
  lastRevision: string,
  id: null,
  type: null,
  file: string,
  lastPosition: string,
];
type StreamRow = EventRow | SegmentRow;

const columns = `e.position, e.stream, e.revision, e.id, e.type, ${contentColumns('e')}`;

/** Columns stay texts: most of them are texts, and the numbers are parsed below, where their type is known. */
const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** Both in one snapshot: at most $3 events of the stream, and the first archive file that has events from the revision on. */
const eventsOf = (stream: string, revision: string): string => `(
    SELECT ${columns} FROM event_store.events AS e
    WHERE e.stream = ${stream} AND e.revision >= ${revision} ORDER BY e.revision LIMIT $3
  ) UNION ALL (
    SELECT first_position, archived.stream, last_revision, NULL, NULL, file::text, last_position::text
    FROM event_store.archived_streams AS archived
    WHERE archived.stream = ${stream} AND last_revision >= ${revision} ORDER BY last_revision LIMIT 1
  )`;

const streamPage = {
  name: 'read-stream',
  text: `SELECT found.* FROM (${eventsOf('$1', '$2')}) AS found ORDER BY found.revision`,
  rowMode: 'array' as const,
  types: asText,
};

/**
 * The first page of many streams. Most streams are short, so it contains all of their events. `wanted` counts from one.
 */
const manyStreams = {
  name: 'read-many-streams',
  text: `SELECT found.*, wanted.number
    FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS wanted(stream, revision, number)
    CROSS JOIN LATERAL (${eventsOf('wanted.stream', 'wanted.revision')}) AS found
    ORDER BY wanted.number, found.revision`,
  rowMode: 'array' as const,
  types: asText,
};

/** When several streams are read together, a long one must not delay the others. */
const maxEventsPerStreamInBatch = 100;

const everything = {
  name: 'read-everything',
  text: `SELECT ${columns} FROM event_store.events AS e WHERE e.position > $1 ORDER BY e.position LIMIT $2`,
  rowMode: 'array' as const,
  types: asText,
};

const range = {
  name: 'read-range',
  text: `SELECT ${columns} FROM event_store.events AS e WHERE e.position > $1 AND e.position <= $2 ORDER BY e.position`,
  rowMode: 'array' as const,
  types: asText,
};

/** Head and events come from one snapshot: all events up to the head are visible, so the page extends that far. */
const someCategories = {
  name: 'read-categories',
  text: `SELECT ${columns}, page_range.read_to, page_range.archived_to
    FROM (
      SELECT least($1::bigint + $2::bigint, greatest($1::bigint, max(position))) AS read_to,
        (SELECT coalesce(max(last_position), 0) FROM event_store.archive_files) AS archived_to
      FROM event_store.events
    ) AS page_range
    LEFT JOIN event_store.events AS e
      ON e.position > $1 AND e.position <= page_range.read_to AND split_part(e.stream, '-', 1) = ANY ($3::text[])
    ORDER BY e.position`,
  rowMode: 'array' as const,
  types: asText,
};

const head = {
  name: 'read-head',
  text: 'SELECT coalesce(max(position), 0) FROM event_store.events',
  rowMode: 'array' as const,
  types: asText,
};

export class EventReader {
  /** Events up to this position may be in archive files. Positions have no gaps, so a gap shows that it has increased. */
  private archivedTo: Position = beforeFirst;
  private readonly unpacker = new EventUnpacker();

  constructor(
    private readonly pool: Pool,
    private readonly archive: ArchivedLog,
  ) {}

  async streamPages(wanted: readonly PageRequest[], limit: number): Promise<readonly StreamPage[]> {
    if (wanted.length === 1) return [await this.streamPage(wanted[0]!, limit)];
    const few = Math.min(limit, maxEventsPerStreamInBatch);
    const streams = wanted.map(({ stream }) => stream);
    const revisions = wanted.map(({ fromRevision }) => fromRevision);
    const values = [streams, revisions, few];
    const { rows } = await this.pool.query<[...StreamRow, string]>({ ...manyStreams, values });
    const pages = wanted.map((): StreamRow[] => []);
    for (const row of rows) pages[Number(row[7]) - 1]!.push(row as unknown as StreamRow);
    return pages.map((page) => this.toStreamPage(page, few));
  }

  private async streamPage({ stream, fromRevision }: PageRequest, limit: number): Promise<StreamPage> {
    const { rows } = await this.pool.query<StreamRow>({ ...streamPage, values: [stream, fromRevision, limit] });
    return this.toStreamPage(rows, limit);
  }

  /** With a filter, the events in the next `limit` positions up to the head; without one, the next `limit` events. */
  async page(after: Position, limit: number, categories?: readonly string[]): Promise<EventPage> {
    if (categories !== undefined) return this.filteredPage(after, limit, categories);
    if (after < this.archivedTo) return this.archivedPage(after, limit);
    const { rows } = await this.pool.query<EventRow>({ ...everything, values: [after, limit] });
    const events = this.toEvents(rows);
    const readTo = events.at(-1)?.position ?? after;
    const hasGap = readTo - after > BigInt(events.length);
    if (hasGap) {
      this.archivedTo = endOf(await this.archive.files());
      if (after < this.archivedTo) return this.archivedPage(after, limit);
    }
    return { events, readTo, isLast: rows.length < limit };
  }

  /** The next `limit` positions, which the log has passed. */
  private async archivedPage(after: Position, limit: number): Promise<EventPage> {
    const end = after + BigInt(limit);
    const readTo = end < this.archivedTo ? end : this.archivedTo;
    const { rows } = await this.pool.query<EventRow>({ ...range, values: [after, readTo] });
    const archived = await this.archive.between(after, readTo);
    return { events: merge(this.toEvents(rows), archived), readTo, isLast: false };
  }

  async head(): Promise<Position> {
    const { rows } = await this.pool.query<[string]>(head);
    return BigInt(rows[0]![0]);
  }

  /** Notifies every listening process of the current head. */
  async notifyHead(): Promise<void> {
    await this.pool.query("SELECT pg_notify('event_store', max(position)::text) FROM event_store.events");
  }

  private async filteredPage(after: Position, limit: number, categories: readonly string[]): Promise<EventPage> {
    const { rows } = await this.pool.query<FilteredRow>({ ...someCategories, values: [after, limit, categories] });
    const events = this.toEvents(rows.filter(isEvent));
    const readTo = BigInt(rows[0]![7]);
    if (BigInt(rows[0]![8]) > after) {
      const archived = await this.archive.between(after, readTo, categories);
      return { events: merge(events, archived), readTo, isLast: readTo - after < BigInt(limit) };
    }
    return { events, readTo, isLast: readTo - after < BigInt(limit) };
  }

  /** What the archive has is read from there, also if it has not been deleted yet. */
  private toStreamPage(rows: readonly StreamRow[], limit: number): StreamPage {
    const segment = rows.find(isSegment);
    if (segment !== undefined) return { events: [], isLast: false, archived: toSegment(segment) };
    return { events: this.toEvents(rows as readonly EventRow[]), isLast: rows.length < limit };
  }

  private toEvents(rows: readonly (EventRow | [...EventRow, string, string])[]): RecordedEvent[] {
    return rows.map(([position, stream, revision, id, type, storedData, storedMetadata]) => {
      const { data, metadata } = readContents(this.unpacker, stream, storedData, storedMetadata);
      return { id, type, data, metadata, stream, revision: Number(revision), position: parsePosition(position) };
    });
  }
}

function isEvent(row: FilteredRow): row is [...EventRow, string, string] {
  return row[0] !== null;
}

function isSegment(row: StreamRow): row is SegmentRow {
  return row[3] === null;
}

function toSegment([first, stream, lastRevision, , , file, last]: SegmentRow): ArchivedSegment {
  const positions = { first: parsePosition(first), last: parsePosition(last) };
  return { stream, lastRevision: Number(lastRevision), ...positions, file: Number(file) };
}

/** Both in order. An event can be in both while archived events are deleted. */
function merge(live: readonly RecordedEvent[], archived: readonly RecordedEvent[]): readonly RecordedEvent[] {
  if (archived.length === 0) return live;
  const merged: RecordedEvent[] = [];
  let next = 0;
  for (const event of live) {
    while (next < archived.length && archived[next]!.position < event.position) merged.push(archived[next++]!);
    if (archived[next]?.position === event.position) next += 1;
    merged.push(event);
  }
  return merged.concat(archived.slice(next));
}

export function endOf(files: readonly { readonly last: Position }[]): Position {
  return files.reduce((end, { last }) => (last > end ? last : end), beforeFirst);
}

/** Takes half the time of parsing a bigint, and is exact for this length. */
function parsePosition(text: string): Position {
  return text.length < 16 ? BigInt(Number(text)) : BigInt(text);
}
