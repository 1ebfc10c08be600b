import type { Metadata } from '@florin/kernel';
import type { Page } from './keyset-page';
import type { ReadConnection } from './read-database';

/** The tables with the column `metadata`. */
type TableWithMetadata = 'invoices' | 'holders' | 'cards';

export interface MetadataFilter {
  readonly companyId: string;
  readonly environment: string;
  readonly metadata: Metadata;
  /** The values of other columns, by their names in the table; undefined ones do not matter. */
  readonly equal?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Both are inclusive. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
}

/**
 * The ids of one page of rows with this metadata, newest first. Prisma does not know the operator `@>`, which the index on
 * metadata needs.
 */
export async function idsWithMetadata(
  { pool }: Pick<ReadConnection, 'pool'>,
  table: TableWithMetadata,
  { companyId, environment, metadata, equal = {}, createdFrom, createdTo }: MetadataFilter,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const values: unknown[] = [companyId, environment, JSON.stringify(metadata)];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  // The index of cards does not contain empty metadata, which matches no filter.
  const conditions = ['company_id = $1', 'environment = $2', 'metadata @> $3::jsonb', `metadata <> '{}'`];
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) conditions.push(`${column} = ANY(${parameter([value].flat())})`);
  }
  if (createdFrom !== undefined) conditions.push(`created_at >= ${parameter(createdFrom)}`);
  if (createdTo !== undefined) conditions.push(`created_at <= ${parameter(createdTo)}`);
  if (after !== undefined) {
    conditions.push(`(created_at, id) < (${parameter(after.createdAt)}::timestamptz, ${parameter(after.id)}::uuid)`);
  }
  const text = `
    SELECT id FROM read_models.${table} WHERE ${conditions.join(' AND ')}
    ORDER BY created_at DESC, id DESC LIMIT ${parameter(limit ?? null)}`;
  const { rows } = await pool.query<{ id: string }>({ text, values });
  return rows.map(({ id }) => id);
}
