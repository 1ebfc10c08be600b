import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';

/** What the user of a connection may do with Florin's tables. */
export interface DatabaseUser {
  /** May migrate: owns Florin's tables or, in a database without them, may create schemas. */
  readonly isOwner: boolean;
  /** May change or delete events, or make it possible. */
  readonly canRewriteLog: boolean;
}

const inspect = `
  SELECT coalesce(pg_has_role(relowner, 'USAGE'), has_database_privilege(current_database(), 'CREATE')) AS "isOwner",
    coalesce(pg_has_role(relowner, 'USAGE') OR has_table_privilege(events.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER'), false)
      AS "canRewriteLog"
  FROM (SELECT to_regclass('event_store.events')::oid AS oid) AS events LEFT JOIN pg_class USING (oid)`;

export async function inspectUser(connection: DatabaseConnection): Promise<DatabaseUser> {
  const client = new Client({ ...connection, application_name: 'florin-migrations' });
  await client.connect();
  try {
    const { rows } = await client.query<DatabaseUser>(inspect);
    return rows[0]!;
  } finally {
    await client.end();
  }
}
