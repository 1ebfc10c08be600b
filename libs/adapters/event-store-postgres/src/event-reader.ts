import type { EventPage, Position, RecordedEvent } from '@florin/event-sourcing';
import type { CustomTypesConfig, Pool } from 'pg';
import type { StreamPage, PageRequest } from './stream-read-batcher';

type EventRow = [
  position: string,
  stream: string,
  revision: string,
  id: string,
  type: string,
  data: string,
  metadata: string,
];
type FilteredRow = [...(EventRow | [null, null, null, null, null, null, null]), readTo: string];

const columns = 'e.position, e.stream, e.revision, e.id, e.type, e.data, e.metadata';

/** Columns stay texts: most of them are texts, and the numbers are parsed below, where their type is known. */
const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

const streamPage = {
  name: 'read-stream',
  text: `SELECT ${columns} FROM event_store.events AS e WHERE e.stream = $1 AND e.revision >= $2 ORDER BY e.revision LIMIT $3`,
  rowMode: 'array' as const,
  types: asText,
};

/**
 * The first page of many streams. Most streams are short, so it contains all of their events. `wanted` counts from one.
 */
const manyStreams = {
  name: 'read-many-streams',
  text: `SELECT ${columns}, wanted.number
    FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS wanted(stream, revision, number)
    CROSS JOIN LATERAL (
      SELECT * FROM event_store.events AS of_stream
      WHERE of_stream.stream = wanted.stream AND of_stream.revision >= wanted.revision
      ORDER BY of_stream.revision LIMIT $3
    ) AS e
    ORDER BY wanted.number, e.revision`,
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

/** Head and events come from one snapshot: all events up to the head are visible, so the page extends that far. */
const someCategories = {
  name: 'read-categories',
  text: `SELECT ${columns}, page_range.read_to
    FROM (
      SELECT least($1::bigint + $2::bigint, greatest($1::bigint, max(position))) AS read_to FROM event_store.events
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
  constructor(private readonly pool: Pool) {}

  async streamPages(wanted: readonly PageRequest[], limit: number): Promise<readonly StreamPage[]> {
    if (wanted.length === 1) return [await this.streamPage(wanted[0]!, limit)];
    const few = Math.min(limit, maxEventsPerStreamInBatch);
    const streams = wanted.map(({ stream }) => stream);
    const revisions = wanted.map(({ fromRevision }) => fromRevision);
    const values = [streams, revisions, few];
    const { rows } = await this.pool.query<[...EventRow, string]>({ ...manyStreams, values });
    const pages = wanted.map((): RecordedEvent[] => []);
    for (const row of rows) pages[Number(row[7]) - 1]!.push(toEvent(row));
    return pages.map((events) => ({ events, isLast: events.length < few }));
  }

  private async streamPage({ stream, fromRevision }: PageRequest, limit: number): Promise<StreamPage> {
    const { rows } = await this.pool.query<EventRow>({ ...streamPage, values: [stream, fromRevision, limit] });
    return { events: rows.map(toEvent), isLast: rows.length < limit };
  }

  /** With a filter, the events in the next `limit` positions up to the head; without one, the next `limit` events. */
  async page(after: Position, limit: number, categories?: readonly string[]): Promise<EventPage> {
    if (categories !== undefined) return this.filteredPage(after, limit, categories);
    const { rows } = await this.pool.query<EventRow>({ ...everything, values: [after, limit] });
    const events = rows.map(toEvent);
    return { events, readTo: events.at(-1)?.position ?? after, isLast: rows.length < limit };
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
    const events = rows.flatMap((row) => (isEvent(row) ? [toEvent(row)] : []));
    const readTo = BigInt(rows[0]![7]);
    return { events, readTo, isLast: readTo - after < BigInt(limit) };
  }
}

function isEvent(row: FilteredRow): row is [...EventRow, string] {
  return row[0] !== null;
}

function toEvent([position, stream, revision, id, type, data, metadata]:
  EventRow | [...EventRow, string]): RecordedEvent {
  return { id, type, data, metadata, stream, revision: Number(revision), position: parsePosition(position) };
}

/** Takes half the time of parsing a bigint, and is exact for this length. */
function parsePosition(text: string): Position {
  return text.length < 16 ? BigInt(Number(text)) : BigInt(text);
}
