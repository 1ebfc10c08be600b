import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';
import { compareRights, grantStatement, revokeStatement } from './granted-rights';
import { rowsOf } from './own-rows';
import { type DatabaseRole, databaseRoles, roleName } from './rights';
import { comparePolicies, createPolicy, dropPolicy, protectTable } from './row-policies';

export interface DescribedRole {
  readonly role: DatabaseRole;
  readonly name: string;
  readonly exists: boolean;
  readonly canLogIn: boolean;
  /** The users that have the rights of the role because they are its members. */
  readonly members: readonly string[];
  /** The statements that would make the rights of the role match this release. */
  readonly differences: readonly string[];
}

const readRoles = `
  SELECT rolname AS name, rolcanlogin AS "canLogIn", array(
    SELECT member.rolname::text FROM pg_auth_members JOIN pg_roles AS member ON member.oid = pg_auth_members.member
    WHERE roleid = pg_roles.oid AND NOT member.rolsuper ORDER BY 1
  ) AS members
  FROM pg_roles WHERE rolname = ANY ($1)`;

/** Compares the roles of a database with this release, without changing anything. */
export async function describeRoles(connection: DatabaseConnection): Promise<readonly DescribedRole[]> {
  const client = new Client({ ...connection, application_name: 'florin-migrations' });
  await client.connect();
  try {
    const { rows } = await client.query<Pick<DescribedRole, 'name' | 'canLogIn' | 'members'>>(readRoles, [
      databaseRoles.map(roleName),
    ]);
    const { missing, excess } = await compareRights(client);
    const policies = await comparePolicies(client);
    return databaseRoles.map((role) => {
      const name = roleName(role);
      const known = rows.find((row) => row.name === name);
      const differences = [
        ...missing.filter(({ grantee }) => grantee === name).map(grantStatement),
        ...excess.filter(({ grantee }) => grantee === name).map(revokeStatement),
        ...policies.missing.filter(({ grantee }) => grantee === name).map(createPolicy),
        ...policies.excess.filter(({ grantee }) => grantee === name).map(dropPolicy),
        ...policies.unprotected.filter((table) => rowsOf(role, table).length > 0).map(protectTable),
      ];
      const { canLogIn = false, members = [] } = known ?? {};
      return { role, name, exists: known !== undefined, canLogIn, members, differences };
    });
  } finally {
    await client.end();
  }
}
