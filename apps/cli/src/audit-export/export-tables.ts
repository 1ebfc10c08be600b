import { type Actor, formatMoney } from '@florin/kernel';
import type { LogAudit } from '@florin/audit';
import { actorText } from '../commands/actor-text';
import { accountOwnerOf, type FoldedReadModels } from '@florin/read-models/tools';
import {
  adjustmentColumns,
  cardColumns,
  type Cell,
  depositColumns,
  invoiceColumns,
  operationColumns,
  type Readers,
  type Source,
  text,
  transactionColumns,
} from './export-columns';

export type ExportRow = Readonly<Record<string, Cell>>;

export interface ExportTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly ExportRow[];
}

/** What an export is limited to. */
export interface ExportScope {
  readonly company?: string;
  readonly environment?: 'sandbox' | 'live';
}

/** Of an object of one company and environment. */
interface Owned {
  readonly companyId?: unknown;
  readonly environment?: unknown;
}

export function isInScope(owned: Owned | undefined, { company, environment }: ExportScope): boolean {
  if (owned === undefined) return false;
  return (
    (company === undefined || owned.companyId === company) &&
    (environment === undefined || owned.environment === environment)
  );
}

export const statementColumns = [
  ...['companyId', 'environment', 'id', 'reference', 'kind', 'description', 'amount', 'balance'],
  ...['availableDelta', 'heldDelta', 'createdAt'],
] as const;

/** One entry of the account entries projection. Amounts are cents. */
export function statementRow(entry: Readonly<Record<string, string>>): ExportRow {
  const cents = (name: string): bigint => BigInt(entry[name]!);
  const amounts = {
    amount: formatMoney(cents('available_delta') + cents('held_delta')),
    balance: formatMoney(cents('available') + cents('held')),
    availableDelta: formatMoney(cents('available_delta')),
    heldDelta: formatMoney(cents('held_delta')),
  };
  return {
    ...{ companyId: entry['company_id']!, environment: entry['environment']!, id: entry['id']! },
    ...{ reference: entry['reference']!, kind: entry['kind']!, description: entry['description']! },
    ...{ ...amounts, createdAt: entry['created_at']! },
  };
}

export const balanceColumns = [
  ...[
    'companyId',
    'environment',
    'deposited',
    'adjusted',
    'refunded',
    'captured',
    'fees',
    'available',
    'held',
    'balance',
  ],
] as const;

/** All tables but the statements, which are written entry by entry. No table contains personal data. */
export function exportTables(audit: LogAudit, models: FoldedReadModels, scope: ExportScope): readonly ExportTable[] {
  const select = <Row extends { readonly companyId?: string; readonly environment?: string }>(rows: Iterable<Row>) =>
    [...rows].filter((row) => isInScope(row, scope));
  const invoices = select(models.invoices.values());
  const invoiceIds = new Set(invoices.map(({ id }) => id));
  const isWhole = scope.company === undefined && scope.environment === undefined;
  const deposits = [...models.deposits.values()].filter(
    ({ invoiceId }) => isWhole || (invoiceId !== undefined && invoiceIds.has(invoiceId)),
  );
  const operations = select(models.operations.values());
  return [
    {
      name: 'trial-balance',
      columns: balanceColumns,
      rows: sorted(
        balances(audit).filter((row) => isInScope(row, scope)),
        'companyId',
        'environment',
      ),
    },
    companiesTable(models, scope),
    tableOf('operations', operations, operationColumns),
    tableOf('cards', select(models.cards.values()), cardColumns),
    tableOf('transactions', select(models.transactions.values()), transactionColumns),
    tableOf('invoices', invoices, invoiceColumns),
    tableOf('deposits', deposits, depositColumns),
    reviewsTable([
      ...operations.map((row) => ({ kind: 'operation', ...row })),
      ...invoices.map((row) => ({ kind: 'invoice', ...row })),
      ...deposits.map((row) => depositReview(row)),
    ]),
    tableOf('adjustments', select(models.adjustments.values()), adjustmentColumns),
  ];
}

type DepositRow = FoldedReadModels['deposits'] extends Map<string, infer Row> ? Row : never;

function tableOf(name: string, rows: readonly object[], readers: Readers): ExportTable {
  const read = (row: object): ExportRow =>
    Object.fromEntries(Object.entries(readers).map(([column, reader]) => [column, reader(row as Source)]));
  return { name, columns: Object.keys(readers), rows: sorted(rows.map(read), 'createdAt', 'id') };
}

function companiesTable({ companies }: FoldedReadModels, { company }: ExportScope): ExportTable {
  const rows = [...companies.values()].filter(({ company_id }) => company === undefined || company_id === company);
  const readers = {
    id: text('company_id'),
    name: text('name'),
    kind: text('kind'),
    verification: text('verification'),
  };
  return tableOf('companies', rows, { ...readers, createdAt: text('created_at') });
}

interface Review {
  readonly reason?: string;
  readonly since?: string;
  readonly resolution?: { readonly outcome?: string; readonly resolvedBy?: Actor } | null;
}

function depositReview({ id, forReview, reason, judgedAt, resolution }: DepositRow): Source {
  const isReviewed = forReview === true || resolution !== undefined;
  return { kind: 'deposit', id, ...(isReviewed && { review: { reason, since: judgedAt, resolution } }) };
}

function reviewsTable(rows: readonly object[]): ExportTable {
  const of = (row: Source): Review => row['review'] as Review;
  const reviewed = rows.filter((row) => 'review' in row && row.review !== undefined && row.review !== null);
  return tableOf('reviews', reviewed, {
    kind: text('kind'),
    id: text('id'),
    companyId: text('companyId'),
    environment: text('environment'),
    reason: (row) => of(row).reason ?? null,
    since: (row) => of(row).since ?? null,
    outcome: (row) => of(row).resolution?.outcome ?? null,
    resolvedBy: (row) => actorText(of(row).resolution?.resolvedBy) ?? null,
  });
}

function balances({ ledger }: LogAudit): readonly ExportRow[] {
  return [...ledger.accounts.values()].flatMap(({ stream, sums }) => {
    const owner = accountOwnerOf(stream);
    if (owner === undefined) return [];
    const { deposited, adjusted, refunded, captured, fees, available, held } = sums;
    const amounts = { deposited, adjusted, refunded, captured, fees, available, held, balance: available + held };
    const texts = Object.entries(amounts).map(([name, amount]) => [name, formatMoney(amount)]);
    return [{ companyId: owner.companyId, environment: owner.environment, ...Object.fromEntries(texts) } as ExportRow];
  });
}

/** In an order that depends on nothing but the rows. */
function sorted(rows: readonly ExportRow[], ...by: readonly string[]): readonly ExportRow[] {
  const keyOf = (row: ExportRow): string => by.map((name) => String(row[name] ?? '')).join(' ');
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ row }) => row);
}
