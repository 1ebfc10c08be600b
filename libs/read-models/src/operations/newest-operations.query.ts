import { operationTypes, type OperationStatus } from '@florin/operations-domain';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirstSql, type Page, pageValues } from '../keyset-page';
import type { ReadConnection } from '../read-database';
import type { OperationFilter } from './operations.views';

/** Every operation is in exactly one of the partial indexes with these conditions. */
const states = { open: 'open', failed: 'failed', completed: 'NOT open AND NOT failed' };

/**
 * One page of the ids of operations, newest first. A list of several types or states merges the newest ones of each: an index
 * without them would be written twice per operation.
 */
export async function newestIds(
  { pool }: Pick<ReadConnection, 'pool'>,
  { companyId, environment }: AccountOwner,
  { type, status, cardId, metadata, createdFrom, createdTo }: OperationFilter,
  page: Page,
): Promise<readonly string[]> {
  const values: unknown[] = [companyId, environment, createdFrom, createdTo, ...pageValues(page)];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    'company_id = $1 AND environment = $2',
    `created_at >= coalesce($3::timestamptz, '-infinity') AND created_at <= coalesce($4::timestamptz, 'infinity')`,
    ...(status === undefined ? [] : [`status = ${parameter(status)}`]),
    ...(metadata === undefined ? [] : [`metadata @> ${parameter(JSON.stringify(metadata))}::jsonb`]),
    ...(cardId === undefined ? [] : [`card_id = ${parameter(cardId)}`]),
    ...(type === undefined ? [] : [`type = ${parameter(type)}`]),
  ];
  const newestOf = (...more: readonly string[]): string => `
    (SELECT id, created_at FROM read_models.operations WHERE ${[...conditions, ...more].join(' AND ')}
     ${newestFirstSql('created_at', 5)})`;
  const newestOfStates = (...more: readonly string[]): string =>
    statesOf(status)
      .map((state) => newestOf(states[state], ...more))
      .join(' UNION ALL ');
  const newestOfTypes = (): string => `
    SELECT each.* FROM unnest(${parameter(operationTypes)}::text[]) AS wanted (type)
    CROSS JOIN LATERAL (${newestOfStates('type = wanted.type')}) AS each`;
  // The operations of a card have an index, too.
  const newest = cardId !== undefined ? newestOf() : type !== undefined ? newestOfStates() : newestOfTypes();
  const text = `SELECT id FROM (${newest}) AS newest ORDER BY created_at DESC, id DESC LIMIT $7::bigint`;
  const { rows } = await pool.query<{ id: string }>({ text, values });
  return rows.map(({ id }) => id);
}

function statesOf(status: OperationStatus | undefined): readonly (keyof typeof states)[] {
  if (status === undefined) return ['open', 'failed', 'completed'];
  return status === 'failed' || status === 'completed' ? [status] : ['open'];
}
