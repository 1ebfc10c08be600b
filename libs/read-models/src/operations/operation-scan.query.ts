import type { Pool } from 'pg';

export interface OperationStatusRow {
  readonly id: string;
  readonly status: string;
  readonly revision: number;
}

const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Every operation, or those of one owner, in pages of `pageSize`, to bound memory. */
export async function* scanOperationStatuses(
  pool: Pool,
  owner?: { readonly companyId: string; readonly environment: string },
  pageSize = 10_000,
): AsyncGenerator<readonly OperationStatusRow[]> {
  const text = `
    SELECT id, status, revision FROM read_models.operations
    WHERE id > $1 ${owner === undefined ? '' : 'AND company_id::text = $3 AND environment = $4'}
    ORDER BY id LIMIT $2`;
  const narrowing = owner === undefined ? [] : [owner.companyId, owner.environment];
  for (let after = beforeAll; ;) {
    const { rows } = await pool.query<OperationStatusRow>(text, [after, pageSize, ...narrowing]);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.id;
  }
}
