import { mapInTurns } from '@florin/event-sourcing';
import { formatMoney, type Money } from '@florin/kernel';
import type { EntryKind } from '@florin/ledger-domain';
import { Injectable } from '@nestjs/common';
import type { CompanyReader } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { accountEntriesProjection, noRevision, revisionOfEntry, sequenceAfter } from './account-entries.projection';

export interface AccountOwner extends CompanyReader {
  readonly environment: string;
}

export interface AccountBalance {
  readonly available: Money;
  readonly held: Money;
}

/** One line as the API returns it, with its fields in the order in which the hash of a statement contains them. */
export interface StatementLine {
  readonly amount: string;
  readonly availableDelta: string;
  readonly balance: string;
  readonly createdAt: string;
  readonly description: string;
  readonly heldDelta: string;
  readonly id: string;
  readonly kind: EntryKind;
  readonly reference: string;
}

export interface StatementView {
  /** Of the newest event up to the end of the period; `noRevision` without events. */
  readonly revision: number;
  readonly openingBalance: Money;
  readonly closingBalance: Money;
  readonly incoming: Money;
  readonly outgoing: Money;
  readonly lines: readonly StatementLine[];
}

/** The period of a statement: from one instant (inclusive) to another (exclusive). */
export interface StatementPeriod {
  readonly from: Date;
  readonly until: Date;
  /** Leaves out everything after this revision of the account. */
  readonly revision?: number;
}

/** Greater than every sequence. */
const allSequences = 2n ** 63n - 1n;

type EntryRow = [
  sequence: string,
  id: string,
  reference: string,
  kind: EntryKind,
  description: string,
  availableDelta: string,
  heldDelta: string,
  balance: string,
  createdAtMs: string,
];

/** Reads rows as arrays of text: objects and dates would block the event loop twice as long for 10,000 lines. */
const entriesBetween = `
  SELECT sequence::text AS sequence_text, id::text, reference, kind, description, available_delta::text, held_delta::text, (available + held)::text,
         (extract(epoch FROM created_at) * 1000)::bigint::text
  FROM read_models.account_entries
  WHERE company_id = $1 AND environment = $2 AND created_at >= $3 AND created_at < $4 AND sequence < $5
  ORDER BY created_at, sequence
  LIMIT $6`;

/** A day of the account, UTC. */
export interface BalanceDay extends AccountBalance {
  readonly date: string;
  /** The sums of the entries of each kind that the day has, in alphabetical order. */
  readonly entries: readonly KindSum[];
}

export interface KindSum {
  readonly kind: EntryKind;
  readonly count: number;
  readonly availableDelta: Money;
  readonly heldDelta: Money;
}

type DayRow = [
  date: string,
  available: string,
  held: string,
  kind: EntryKind | null,
  count: string | null,
  availableDelta: string | null,
  heldDelta: string | null,
];

/** One row per day and kind, and one row for a day without entries. The closing balance is that of the newest entry. */
const dailyBalances = `
  SELECT to_char(day, 'YYYY-MM-DD'), coalesce(closing.available, 0)::text, coalesce(closing.held, 0)::text,
         sums.kind, sums.count::text, sums.available::text, sums.held::text
  FROM generate_series($3::timestamp, $4::timestamp - interval '1 day', interval '1 day') AS day
  LEFT JOIN LATERAL (
    SELECT available, held FROM read_models.account_entries
    WHERE company_id = $1 AND environment = $2 AND created_at < (day + interval '1 day') AT TIME ZONE 'UTC'
    ORDER BY created_at DESC, sequence DESC LIMIT 1
  ) AS closing ON true
  LEFT JOIN (
    SELECT date_trunc('day', created_at AT TIME ZONE 'UTC') AS day, kind, count(*) AS count,
           sum(available_delta) AS available, sum(held_delta) AS held
    FROM read_models.account_entries
    WHERE company_id = $1 AND environment = $2
      AND created_at >= $3::timestamp AT TIME ZONE 'UTC' AND created_at < $4::timestamp AT TIME ZONE 'UTC'
    GROUP BY 1, 2
  ) AS sums USING (day)
  ORDER BY day, sums.kind`;

@Injectable()
export class AccountEntriesQueries extends ReadModelQueries {
  /** The balances after the newest entry, or undefined without entries. */
  async balance(owner: AccountOwner): Promise<AccountBalance> {
    await this.waitUntilCaughtUp(accountEntriesProjection);
    const { available, held } = (await this.lastEntry(owner)) ?? { available: 0n, held: 0n };
    return { available, held };
  }

  /** Undefined if the period has more than `limit` entries. */
  async statement(owner: AccountOwner, period: StatementPeriod, limit: number): Promise<StatementView | undefined> {
    await this.waitUntilCaughtUp(accountEntriesProjection);
    const { from, until, revision } = period;
    const below = revision === undefined ? allSequences : BigInt(sequenceAfter(revision));
    const values = [owner.companyId, owner.environment, from, until, below, limit + 1];
    const query = { text: entriesBetween, values, rowMode: 'array' as const };
    const { rows } = await this.read(owner, ({ pool }) => pool.query<EntryRow>(query));
    if (rows.length > limit) return undefined;
    const opening = await this.lastEntry(owner, from, below);
    return await summarize(opening, rows);
  }

  /** Every UTC day from one midnight (inclusive) to another (exclusive). */
  async history(owner: AccountOwner, from: Date, until: Date): Promise<readonly BalanceDay[]> {
    await this.waitUntilCaughtUp(accountEntriesProjection);
    const values = [owner.companyId, owner.environment, timestampOf(from), timestampOf(until)];
    const query = { text: dailyBalances, values, rowMode: 'array' as const };
    const { rows } = await this.read(owner, ({ pool }) => pool.query<DayRow>(query));
    return daysOf(rows);
  }

  /** The newest revision of the account before an instant; `noRevision` without events. */
  async revisionAt(owner: AccountOwner, instant: Date): Promise<number> {
    await this.waitUntilCaughtUp(accountEntriesProjection);
    const last = await this.lastEntry(owner, instant);
    return last === undefined ? noRevision : revisionOfEntry(last.sequence);
  }

  /** The newest entry before an instant and a sequence. */
  private async lastEntry(owner: AccountOwner, instant?: Date, below = allSequences): Promise<LastEntry | undefined> {
    const { companyId, environment } = owner;
    const last = await this.read(owner, ({ prisma }) =>
      prisma.accountEntry.findFirst({
        where: { companyId, environment, createdAt: instant && { lt: instant }, sequence: { lt: below } },
        orderBy: [{ createdAt: 'desc' }, { sequence: 'desc' }],
        select: { available: true, held: true, sequence: true },
      }),
    );
    return last ?? undefined;
  }
}

interface LastEntry extends AccountBalance {
  readonly sequence: bigint;
}

async function summarize(opening: LastEntry | undefined, rows: readonly EntryRow[]): Promise<StatementView> {
  const openingBalance = opening === undefined ? 0n : opening.available + opening.held;
  const [newest = opening?.sequence] = rows.at(-1) ?? [];
  let incoming = 0n;
  let outgoing = 0n;
  const lines = await mapInTurns(rows, (row): StatementLine => {
    const [, id, reference, kind, description, availableDelta, heldDelta, balance, createdAtMs] = row;
    const amount = BigInt(availableDelta) + BigInt(heldDelta);
    if (amount > 0n) incoming += amount;
    else outgoing -= amount;
    return {
      amount: formatMoney(amount),
      availableDelta: formatMoney(BigInt(availableDelta)),
      balance: formatMoney(BigInt(balance)),
      createdAt: new Date(Number(createdAtMs)).toISOString(),
      description,
      heldDelta: formatMoney(BigInt(heldDelta)),
      id,
      kind,
      reference,
    };
  });
  return {
    revision: newest === undefined ? noRevision : revisionOfEntry(BigInt(newest)),
    openingBalance,
    closingBalance: openingBalance + incoming - outgoing,
    incoming,
    outgoing,
    lines,
  };
}

/** Without a time zone, which Postgres would convert to that of the session. */
function timestampOf(instant: Date): string {
  return instant.toISOString().slice(0, -1);
}

function daysOf(rows: readonly DayRow[]): readonly BalanceDay[] {
  const days = new Map<string, BalanceDay & { entries: KindSum[] }>();
  for (const [date, available, held, kind, count, availableDelta, heldDelta] of rows) {
    const day = days.get(date) ?? { date, available: BigInt(available), held: BigInt(held), entries: [] };
    days.set(date, day);
    if (kind === null) continue;
    day.entries.push({
      kind,
      count: Number(count),
      availableDelta: BigInt(availableDelta!),
      heldDelta: BigInt(heldDelta!),
    });
  }
  return [...days.values()];
}
