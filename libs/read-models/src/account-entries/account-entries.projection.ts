import { eventCodec, type Projection, type RecordedEvent } from '@florin/event-sourcing';
import { deterministicId } from '@florin/kernel';
import { accountEventVersions, entriesOf } from '@florin/ledger-domain';
import type { PoolClient } from 'pg';

const codec = eventCodec(accountEventVersions);

/** The most entries that one event makes: sequences of neighbouring events must not meet. */
const entriesPerEvent = 4;

const columns = [
  'company_id uuid',
  'environment text',
  'sequence bigint',
  'id uuid',
  'kind text',
  'available_delta bigint',
  'held_delta bigint',
  'available bigint',
  'held bigint',
  'created_at timestamptz',
  'reference text',
  'description text',
].map((column) => column.split(' ') as [name: string, type: string]);

/** The last two hold what others wrote; all before them hold nothing that would have to be quoted in an array. */
const plainColumns = columns.length - 2;

const insertEntries = `
  INSERT INTO read_models.account_entries (${columns.map(([name]) => name).join(', ')})
  SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
  ON CONFLICT DO NOTHING`;

/** Every event of an account becomes lines of its statement. An entry never changes, so a repeat writes nothing. */
export const accountEntriesProjection: Projection<PoolClient> = {
  name: 'account-entries',
  categories: ['account'],
  project: async (events, tx) => {
    const rows = events.flatMap(rowsOf);
    const values = columns.map((_, column) => {
      const cells = rows.map((row) => row[column]);
      return column < plainColumns ? `{${cells.join(',')}}` : cells;
    });
    await tx.query({ name: 'insert-account-entries', text: insertEntries, values });
  },
};

/** `account-<company>-<environment>`, of which the company is a UUID with hyphens of its own. */
const accountStream = /^account-(.+)-(sandbox|live)$/;

/** Whose account a stream is; nobody's where it is none. */
export function accountOwnerOf(stream: string): { companyId: string; environment: string } | undefined {
  const [, companyId, environment] = accountStream.exec(stream) ?? [];
  return companyId === undefined || environment === undefined ? undefined : { companyId, environment };
}

/** The entries of all events up to this revision have smaller ones. */
export function sequenceAfter(revision: number): number {
  return (revision + 1) * entriesPerEvent;
}

function rowsOf(recorded: RecordedEvent): string[][] {
  const owner = accountOwnerOf(recorded.stream);
  if (owner === undefined) throw new Error(`${recorded.stream} is not the stream of an account`);
  const { companyId, environment } = owner;
  const { event, metadata } = codec.decode(recorded);
  return entriesOf(event).map((entry, index) => [
    companyId,
    environment,
    String(recorded.revision * entriesPerEvent + index),
    index === 0 ? recorded.id : deterministicId(recorded.id, String(index)),
    entry.kind,
    String(entry.availableDelta),
    String(entry.heldDelta),
    String(entry.available),
    String(entry.held),
    metadata.recordedAt,
    entry.reference,
    entry.description,
  ]);
}
