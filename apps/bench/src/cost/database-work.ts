import type { Pool } from 'pg';

/** What was written to a table and its indexes, according to the write-ahead log. */
export interface TableWork {
  readonly table: string;
  /** Without images of full pages, which the server writes once per page and checkpoint. */
  readonly walBytes: number;
  readonly pageBytes: number;
  readonly inserts: number;
  readonly updates: number;
  /** Updates that touch no index. */
  readonly hotUpdates: number;
}

/** A record that changes several pages, such as the split of an index page, counts for each of them in equal parts. */
const workByTable = `
  WITH blocks AS (
    SELECT relfilenode, block_id, record_type, block_fpi_length AS page_bytes,
      coalesce((regexp_match(description, 'ntuples: ([0-9]+)'))[1]::integer, 1) AS rows,
      (record_length - sum(block_fpi_length) OVER record) / count(*) OVER record AS wal_bytes
    FROM pg_get_wal_block_info($1, $2, false)
    WHERE reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    WINDOW record AS (PARTITION BY start_lsn)
  ), relations AS (
    SELECT pg_relation_filenode(c.oid) AS relfilenode, c.relkind = 'r' AS is_table,
      coalesce(i.indrelid, t.oid, c.oid)::regclass::text AS table
    FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid LEFT JOIN pg_class AS t ON t.reltoastrelid = c.oid
  )
  SELECT relations.table, sum(wal_bytes)::float AS "walBytes", sum(page_bytes)::float AS "pageBytes",
    sum(rows) FILTER (WHERE is_table AND record_type ~ '^(MULTI_)?INSERT')::float AS inserts,
    count(*) FILTER (WHERE is_table AND block_id = 0 AND record_type LIKE '%UPDATE%')::float AS updates,
    count(*) FILTER (WHERE is_table AND block_id = 0 AND record_type LIKE 'HOT_UPDATE%')::float AS "hotUpdates"
  FROM blocks JOIN relations USING (relfilenode)
  GROUP BY 1 ORDER BY 2 DESC`;

export async function walPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('SELECT pg_current_wal_flush_lsn()::text AS position');
  return rows[0]!.position;
}

export async function workSince(pool: Pool, position: string): Promise<readonly TableWork[]> {
  const end = await walPosition(pool);
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  return (await pool.query<TableWork>(workByTable, [position, end])).rows;
}
