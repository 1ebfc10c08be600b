import type { ClientBase } from 'pg';
import { ownRows, type OwnRows, rowsOf } from './own-rows';
import { databaseRoles, roleName } from './rights';

/** One row-level security policy, in the words of CREATE POLICY. */
export interface RowPolicy {
  readonly table: string;
  readonly name: string;
  /** `PUBLIC` for everybody. */
  readonly grantee: string;
  /** `ALL`, or the only command that it is for. */
  readonly command: string;
  /** As the catalog prints it. */
  readonly condition: string;
}

export interface PolicyDifference {
  readonly missing: readonly RowPolicy[];
  readonly excess: readonly RowPolicy[];
  /** Tables whose policies are not in force. */
  readonly unprotected: readonly string[];
}

const everybody = 'PUBLIC';

/** Compares the catalog with `ownRows`. Policies for roles of others are not compared. */
export async function comparePolicies(client: ClientBase): Promise<PolicyDifference> {
  const wanted = wantedPolicies();
  const existing = await existingPolicies(client);
  return {
    missing: without(wanted, existing),
    excess: without(existing, wanted),
    unprotected: await unprotectedTables(client),
  };
}

export const createPolicy = ({ name, table, grantee, command, condition }: RowPolicy): string =>
  `CREATE POLICY ${name} ON ${table} FOR ${command} TO ${grantee} USING (${condition})`;

export const dropPolicy = ({ name, table }: RowPolicy): string => `DROP POLICY "${name}" ON ${table}`;

export const protectTable = (table: string): string => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`;

/** A role that may read a table reads all its rows; each role writes only its own rows. */
function wantedPolicies(): RowPolicy[] {
  return Object.keys(ownRows).flatMap((table) => [
    { table, name: 'florin_readers', grantee: everybody, command: 'SELECT', condition: 'true' },
    ...databaseRoles.flatMap((role) => {
      const rows = rowsOf(role, table);
      if (rows.length === 0) return [];
      const name = roleName(role);
      return [{ table, name, grantee: name, command: 'ALL', condition: conditionOf(rows) }];
    }),
  ]);
}

function conditionOf(rows: readonly OwnRows[]): string {
  const conditions = rows.map(({ column, like, notLike }) =>
    like === undefined ? `(${column} !~~ ALL (${textArray(notLike)}))` : `(${column} ~~ ANY (${textArray(like)}))`,
  );
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(' OR ')})`;
}

/** The patterns are constants of rights.ts, without quotes. */
function textArray(patterns: readonly string[]): string {
  return `ARRAY[${patterns.map((pattern) => `'${pattern}'::text`).join(', ')}]`;
}

const readPolicies = `
  SELECT format('%I.%I', nspname, relname) AS table, polname AS name, coalesce(rolname, $3) AS grantee,
    CASE polcmd WHEN '*' THEN 'ALL' WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' ELSE 'DELETE' END
      || CASE WHEN polpermissive THEN '' ELSE ' RESTRICTIVE' END AS command,
    coalesce(pg_get_expr(polqual, polrelid), '') || coalesce(' CHECK ' || pg_get_expr(polwithcheck, polrelid), '')
      AS condition
  FROM pg_policy JOIN pg_class AS c ON c.oid = polrelid JOIN pg_namespace AS n ON n.oid = relnamespace,
    unnest(polroles) AS role LEFT JOIN pg_roles ON pg_roles.oid = role
  WHERE format('%I.%I', nspname, relname) = ANY ($1) AND (rolname = ANY ($2) OR role = 0)`;

async function existingPolicies(client: ClientBase): Promise<RowPolicy[]> {
  const values = [Object.keys(ownRows), databaseRoles.map(roleName), everybody];
  const { rows } = await client.query<RowPolicy>(readPolicies, values);
  return rows;
}

async function unprotectedTables(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT format('%I.%I', nspname, relname) AS table FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
     WHERE format('%I.%I', nspname, relname) = ANY ($1) AND NOT relrowsecurity`,
    [Object.keys(ownRows)],
  );
  return rows.map(({ table }) => table);
}

function without(policies: readonly RowPolicy[], others: readonly RowPolicy[]): RowPolicy[] {
  const known = new Set(others.map(createPolicy));
  return policies.filter((policy) => !known.has(createPolicy(policy)));
}
