import { accountIdOf, type EntryKind } from '@florin/ledger-domain';
import type { Pool } from 'pg';
import { accountOwnerOf, noRevision, revisionOfEntry, sequenceAfter } from './account-entries.projection';
import type { KindSum } from './account-entries.queries';

/** A UTC day of an account with entries. */
export interface DayWithEntries {
  readonly date: string;
  /** Of the last event of the day. */
  readonly revision: number;
  readonly available: bigint;
  readonly held: bigint;
  /** In alphabetical order of their kinds. */
  readonly entries: readonly KindSum[];
}

type DayRow = [
  date: string,
  sequence: string,
  available: string,
  held: string,
  kind: EntryKind,
  count: string,
  availableDelta: string,
  heldDelta: string,
];

/** The sums per day and kind, with the balances of the last entry of the day. */
const daysWithEntries = `
  WITH sums AS (
    SELECT date_trunc('day', created_at AT TIME ZONE 'UTC') AS day, kind, count(*) AS count,
           sum(available_delta) AS available, sum(held_delta) AS held, max(sequence) AS sequence, max(created_at) AS created_at
    FROM read_models.account_entries
    WHERE company_id = $1 AND environment = $2 AND created_at < $3 AND sequence < $4
    GROUP BY 1, 2
  ), lasts AS (
    SELECT day, max(sequence) AS sequence, max(created_at) AS created_at FROM sums GROUP BY day
  )
  SELECT to_char(day, 'YYYY-MM-DD'), closing.sequence::text, closing.available::text, closing.held::text,
         sums.kind, sums.count::text, sums.available::text, sums.held::text
  FROM sums
  JOIN lasts USING (day)
  JOIN read_models.account_entries AS closing
    ON closing.company_id = $1 AND closing.environment = $2
   AND closing.created_at = lasts.created_at AND closing.sequence = lasts.sequence
  ORDER BY day, sums.kind`;

const withReference = `
  SELECT sequence::text AS sequence FROM read_models.account_entries
  WHERE company_id = $1 AND environment = $2 AND created_at >= $3 AND reference = $4
  ORDER BY account_entries.created_at, account_entries.sequence`;

const newestEntry = `
  SELECT sequence::text AS sequence FROM read_models.account_entries
  WHERE company_id = $1 AND environment = $2 ORDER BY created_at DESC, account_entries.sequence DESC LIMIT 1`;

/** Reads the whole table: an index would slow down every entry, and the query is rare. */
const entryById = `
  SELECT company_id AS "companyId", environment, sequence::text AS sequence
  FROM read_models.account_entries WHERE id = $1 LIMIT 1`;

const ownerOfInvoice = 'SELECT company_id AS "companyId", environment FROM read_models.invoices WHERE id = $1';

interface EntryRow {
  readonly sequence: string;
}

interface OwnerRow {
  readonly companyId: string;
  readonly environment: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const farFuture = 'infinity';
/** Greater than every sequence. */
const allSequences = String(2n ** 63n - 1n);

interface IndexQuery {
  readonly text: string;
  readonly values: unknown[];
  readonly rowMode?: 'array';
}

/** Finds the events behind balances, entries, operations and invoices through the read models. */
export class ExplanationIndex {
  constructor(private readonly read: <Row>(query: IndexQuery) => Promise<readonly Row[]>) {}

  static on(pool: Pool): ExplanationIndex {
    return new ExplanationIndex(async <Row>(query: IndexQuery) => (await pool.query(query)).rows as Row[]);
  }

  /** The days with entries before a time, or up to a revision; oldest first. */
  async daysOf(
    accountId: string,
    { before, revision }: { readonly before?: Date; readonly revision?: number },
  ): Promise<readonly DayWithEntries[]> {
    const owner = ownerOf(accountId);
    if (owner === undefined) return [];
    const values = [...owner, before ?? farFuture, revision === undefined ? allSequences : sequenceAfter(revision)];
    return group(await this.read<DayRow>({ text: daysWithEntries, values, rowMode: 'array' }));
  }

  async newestRevision(accountId: string): Promise<number> {
    const owner = ownerOf(accountId);
    if (owner === undefined) return noRevision;
    const [newest] = await this.read<EntryRow>({ text: newestEntry, values: owner });
    return newest === undefined ? noRevision : revisionIn(newest);
  }

  async revisionsOf(
    accountId: string,
    reference: string,
    since: Date,
  ): Promise<{ readonly revisions: readonly number[]; readonly indexedTo: number }> {
    const owner = ownerOf(accountId);
    if (owner === undefined) return { revisions: [], indexedTo: noRevision };
    // In this order: an entry that is added in between is then found in the log instead.
    const indexedTo = await this.newestRevision(accountId);
    const found = await this.read<EntryRow>({ text: withReference, values: [...owner, since, reference] });
    const revisions = new Set(found.map(revisionIn).filter((revision) => revision <= indexedTo));
    return { revisions: [...revisions], indexedTo };
  }

  async findEntry(entryId: string): Promise<{ readonly accountId: string; readonly revision: number } | undefined> {
    if (!uuid.test(entryId)) return undefined;
    const [row] = await this.read<OwnerRow & EntryRow>({ text: entryById, values: [entryId] });
    return row && { accountId: accountIdOf(row.companyId, row.environment), revision: revisionIn(row) };
  }

  async accountOfInvoice(invoiceId: string): Promise<string | undefined> {
    if (!uuid.test(invoiceId)) return undefined;
    const [row] = await this.read<OwnerRow>({ text: ownerOfInvoice, values: [invoiceId] });
    return row && accountIdOf(row.companyId, row.environment);
  }
}

function ownerOf(accountId: string): [companyId: string, environment: string] | undefined {
  const owner = accountOwnerOf(`account-${accountId}`);
  return owner !== undefined && uuid.test(owner.companyId) ? [owner.companyId, owner.environment] : undefined;
}

function revisionIn({ sequence }: EntryRow): number {
  return revisionOfEntry(BigInt(sequence));
}

function group(rows: readonly DayRow[]): readonly DayWithEntries[] {
  const days = new Map<string, DayWithEntries & { entries: KindSum[] }>();
  for (const [date, sequence, available, held, kind, count, availableDelta, heldDelta] of rows) {
    const day = days.get(date) ?? {
      ...{ date, revision: revisionIn({ sequence }), available: BigInt(available), held: BigInt(held) },
      entries: [],
    };
    days.set(date, day);
    const sums = { availableDelta: BigInt(availableDelta), heldDelta: BigInt(heldDelta) };
    day.entries.push({ kind, count: Number(count), ...sums });
  }
  return [...days.values()];
}
