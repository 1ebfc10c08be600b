import { mapInTurns } from '@florin/event-sourcing';
import { formatMoney, type Money } from '@florin/kernel';
import type { EntryKind } from '@florin/ledger-domain';
import { Injectable } from '@nestjs/common';
import type { CompanyReader } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { accountEntriesProjection } from './account-entries.projection';

export interface AccountOwner extends CompanyReader {
  readonly environment: string;
}

export interface AccountBalance {
  readonly available: Money;
  readonly held: Money;
}

/** One line as the API returns it. */
export interface StatementLine {
  readonly id: string;
  readonly reference: string;
  readonly kind: EntryKind;
  readonly description: string;
  readonly amount: string;
  readonly balance: string;
  readonly availableDelta: string;
  readonly heldDelta: string;
  readonly createdAt: string;
}

export interface StatementView {
  readonly openingBalance: Money;
  readonly closingBalance: Money;
  readonly incoming: Money;
  readonly outgoing: Money;
  readonly lines: readonly StatementLine[];
}

type EntryRow = [
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
  SELECT id::text, reference, kind, description, available_delta::text, held_delta::text, (available + held)::text,
         (extract(epoch FROM created_at) * 1000)::bigint::text
  FROM read_models.account_entries
  WHERE company_id = $1 AND environment = $2 AND created_at >= $3 AND created_at < $4
  ORDER BY created_at, sequence
  LIMIT $5`;

@Injectable()
export class AccountEntriesQueries extends ReadModelQueries {
  /** The balances after the newest entry, or undefined without entries. */
  async balance(owner: AccountOwner): Promise<AccountBalance> {
    await this.waitUntilCaughtUp(accountEntriesProjection);
    return this.balanceBefore(owner);
  }

  /** The entries from one instant (inclusive) to another (exclusive), or undefined if there are more than `limit`. */
  async statement(owner: AccountOwner, from: Date, until: Date, limit: number): Promise<StatementView | undefined> {
    await this.waitUntilCaughtUp(accountEntriesProjection);
    const values = [owner.companyId, owner.environment, from, until, limit + 1];
    const query = { text: entriesBetween, values, rowMode: 'array' as const };
    const { rows } = await this.read(owner, ({ pool }) => pool.query<EntryRow>(query));
    if (rows.length > limit) return undefined;
    const opening = await this.balanceBefore(owner, from);
    return await summarize(opening.available + opening.held, rows);
  }

  private async balanceBefore(owner: AccountOwner, instant?: Date): Promise<AccountBalance> {
    const { companyId, environment } = owner;
    const last = await this.read(owner, ({ prisma }) =>
      prisma.accountEntry.findFirst({
        where: { companyId, environment, createdAt: instant && { lt: instant } },
        orderBy: [{ createdAt: 'desc' }, { sequence: 'desc' }],
        select: { available: true, held: true },
      }),
    );
    return last ?? { available: 0n, held: 0n };
  }
}

async function summarize(openingBalance: Money, rows: readonly EntryRow[]): Promise<StatementView> {
  let incoming = 0n;
  let outgoing = 0n;
  const lines = await mapInTurns(rows, (row): StatementLine => {
    const [id, reference, kind, description, availableDelta, heldDelta, balance, createdAtMs] = row;
    const amount = BigInt(availableDelta) + BigInt(heldDelta);
    if (amount > 0n) incoming += amount;
    else outgoing -= amount;
    return {
      id,
      reference,
      kind,
      description,
      amount: formatMoney(amount),
      balance: formatMoney(BigInt(balance)),
      availableDelta: formatMoney(BigInt(availableDelta)),
      heldDelta: formatMoney(BigInt(heldDelta)),
      createdAt: new Date(Number(createdAtMs)).toISOString(),
    };
  });
  return { openingBalance, closingBalance: openingBalance + incoming - outgoing, incoming, outgoing, lines };
}
