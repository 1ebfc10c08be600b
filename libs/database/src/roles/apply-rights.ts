import { Client, type ClientBase } from 'pg';
import type { DatabaseConnection } from '../connection';
import { lockMigrations } from '../migrations/migration-lock';
import { compareRights, grantStatement, revokeStatement } from './granted-rights';
import { databaseRoles, roleName } from './rights';
import { comparePolicies, createPolicy, dropPolicy, protectTable } from './row-policies';

export interface AppliedRights {
  readonly createdRoles: readonly string[];
  /** Roles that do not exist because the owner may not create roles. */
  readonly missingRoles: readonly string[];
  readonly granted: number;
  readonly revoked: number;
}

/**
 * Makes the roles and their rights match rights.ts. Call it as the owner, after the migrations. A database that matches costs
 * a few small queries, and several processes may start at once.
 */
export async function applyRights(connection: DatabaseConnection): Promise<AppliedRights> {
  const client = new Client({ ...connection, application_name: 'florin-migrations' });
  await client.connect();
  try {
    if (await isApplied(client)) return { createdRoles: [], missingRoles: [], granted: 0, revoked: 0 };
    await lockMigrations(client);
    return await change(client);
  } finally {
    await client.end();
  }
}

async function isApplied(client: ClientBase): Promise<boolean> {
  if ((await absentRoles(client)).length > 0) return false;
  const { missing, excess } = await compareRights(client);
  const policies = await comparePolicies(client);
  const differences = [missing, excess, policies.missing, policies.excess, policies.unprotected];
  return differences.every(({ length }) => length === 0);
}

async function change(client: ClientBase): Promise<AppliedRights> {
  const absent = await absentRoles(client);
  const createdRoles = (await mayCreateRoles(client)) ? absent : [];
  for (const name of createdRoles) await client.query(createRole(name));
  const missingRoles = absent.filter((name) => !createdRoles.includes(name));
  const { missing, excess } = await compareRights(client);
  const policies = await comparePolicies(client);
  const isPossible = ({ grantee }: { readonly grantee: string }) => !missingRoles.includes(grantee);
  const revoked = [
    ...excess.map(revokeStatement),
    ...policies.excess.map(dropPolicy),
    ...policies.unprotected.map(protectTable),
  ];
  const granted = [
    ...missing.filter(isPossible).map(grantStatement),
    ...policies.missing.filter(isPossible).map(createPolicy),
  ];
  const statements = [...revoked, ...granted];
  // One text is one transaction: a role has its old rights or its new ones.
  if (statements.length > 0) await client.query(statements.join(';\n'));
  return { createdRoles, missingRoles, granted: granted.length, revoked: revoked.length };
}

async function absentRoles(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, nth)
     WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) ORDER BY nth`,
    [databaseRoles.map(roleName)],
  );
  return rows.map(({ name }) => name);
}

async function mayCreateRoles(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ allowed: boolean }>(
    'SELECT rolsuper OR rolcreaterole AS allowed FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.allowed === true;
}

/**
 * Roles belong to the server, so another database of it may create the same one at the same time. A role cannot log in until
 * it gets a password.
 */
export function createRole(name: string): string {
  return `DO $$ BEGIN CREATE ROLE ${name} NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`;
}
