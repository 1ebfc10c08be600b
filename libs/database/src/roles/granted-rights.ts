import type { ClientBase } from 'pg';
import { databaseRoles, rightsOf, roleName } from './rights';

/** One privilege of one role on one object, in the words of GRANT. */
export interface Grant {
  readonly grantee: string;
  /** Such as `TABLE event_store.events`. */
  readonly object: string;
  readonly privilege: string;
}

export interface RightsDifference {
  readonly missing: readonly Grant[];
  readonly excess: readonly Grant[];
}

const everybody = 'PUBLIC';

/** Compares the catalog with rights.ts. Objects that rights.ts does not list, and roles of others, are not compared. */
export async function compareRights(client: ClientBase): Promise<RightsDifference> {
  const functions = await functionsIn(client, schemasOf(Object.values(rightsOf).flatMap(Object.keys)));
  const wanted = wantedGrants(functions);
  const objects = [...new Set([...wanted.map(({ object }) => object), ...[...functions.values()].flat()])];
  const granted = await grantsOn(client, objects);
  return { missing: without(wanted, granted), excess: without(granted, wanted) };
}

export const grantStatement = ({ privilege, object, grantee }: Grant): string =>
  `GRANT ${privilege} ON ${object} TO ${grantee}`;

export const revokeStatement = ({ privilege, object, grantee }: Grant): string =>
  `REVOKE ${privilege} ON ${object} FROM ${grantee}`;

function wantedGrants(functions: ReadonlyMap<string, readonly string[]>): Grant[] {
  return databaseRoles.flatMap((role) => {
    const grantee = roleName(role);
    const onSchemas = schemasOf(Object.keys(rightsOf[role])).map((schema): Grant => ({
      grantee,
      object: `SCHEMA ${schema}`,
      privilege: 'USAGE',
    }));
    const onObjects = Object.entries(rightsOf[role]).flatMap(([name, rights]) =>
      rights.flatMap((privilege) => {
        const objects = privilege === 'EXECUTE' ? (functions.get(name) ?? []) : [`TABLE ${name}`];
        return objects.map((object): Grant => ({ grantee, object, privilege }));
      }),
    );
    return [...onSchemas, ...onObjects];
  });
}

function schemasOf(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.slice(0, name.indexOf('.'))))];
}

/** GRANT needs the parameters of a function as well as its name. */
async function functionsIn(client: ClientBase, schemas: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; object: string }>(
    `SELECT format('%I.%I', nspname, proname) AS name,
       format('FUNCTION %I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid)) AS object
     FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace
     WHERE nspname = ANY ($1) AND nspname <> 'public'`,
    [schemas],
  );
  const functions = new Map<string, string[]>();
  for (const { name, object } of rows) functions.set(name, [...(functions.get(name) ?? []), object]);
  return functions;
}

/** What Florin's roles and everybody may do. An object without an access list has the defaults of Postgres. */
const readGrants = `
  WITH lists AS (
    SELECT format('TABLE %I.%I', nspname, relname) AS object, coalesce(relacl, acldefault('r', relowner)) AS list
    FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT format('FUNCTION %I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid)),
      coalesce(proacl, acldefault('f', proowner))
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace WHERE nspname <> 'pg_catalog'
    UNION ALL
    SELECT format('SCHEMA %I', nspname), coalesce(nspacl, acldefault('n', nspowner)) FROM pg_namespace
  )
  SELECT coalesce(rolname, $3) AS grantee, object, privilege_type AS privilege
  FROM lists, aclexplode(list) LEFT JOIN pg_roles ON pg_roles.oid = grantee
  WHERE object = ANY ($1) AND (rolname = ANY ($2) OR grantee = 0)
    -- The names in the schema public are for everybody; creating them is not.
    AND NOT (object = 'SCHEMA public' AND grantee = 0 AND privilege_type = 'USAGE')`;

async function grantsOn(client: ClientBase, objects: readonly string[]): Promise<Grant[]> {
  const { rows } = await client.query<Grant>(readGrants, [objects, databaseRoles.map(roleName), everybody]);
  return rows;
}

function without(grants: readonly Grant[], others: readonly Grant[]): Grant[] {
  const known = new Set(others.map(grantStatement));
  return grants.filter((grant) => !known.has(grantStatement(grant)));
}
