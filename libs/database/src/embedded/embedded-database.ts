import type { DatabaseConnection } from '../connection';
import { ensureDatabase } from '../ensure-database';
import { providePasswords, readPasswords } from '../roles/password-file';
import { databaseRoles, type DatabaseRole, roleName } from '../roles/rights';
import { setRolePasswords } from '../roles/role-passwords';
import { SERVER_USER } from './create-cluster';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres';

export const DATABASE = 'florin';

export interface EmbeddedDatabaseOptions extends EmbeddedPostgresOptions {
  /** Migrates the database and creates the roles, as its owner. */
  readonly prepare: (owner: DatabaseConnection) => Promise<unknown>;
}

/** The database of a data folder, on its own server. Every user needs a password, which is in the folder. */
export interface EmbeddedDatabase {
  readonly pid: number;
  readonly owner: DatabaseConnection;
  as(role: DatabaseRole): DatabaseConnection;
  stop(): Promise<void>;
}

export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const server = await startEmbeddedPostgres(options);
  try {
    const connection = await ensureDatabase(server.connection, DATABASE);
    await options.prepare(connection);
    const passwords = providePasswords(options.dataDirectory, [SERVER_USER, ...databaseRoles.map(roleName)]);
    await setRolePasswords(connection, passwords);
    await server.requirePasswords();
    const asUser = (user: string): DatabaseConnection => ({ ...connection, user, password: passwords[user]! });
    return {
      pid: server.pid,
      owner: asUser(SERVER_USER),
      as: (role) => asUser(roleName(role)),
      stop: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The password of the owner, for tools that connect to the database of a running Florin. */
export function ownerPassword(dataDirectory: string): string {
  const password = readPasswords(dataDirectory)[SERVER_USER];
  if (password === undefined)
    throw new Error(`No Florin has stored the passwords of its database in ${dataDirectory}.`);
  return password;
}

/** As a URL. The server listens on a Unix socket only, whose folder takes the place of a host. */
export function databaseUrl({ user = '', password, database, host = '' }: DatabaseConnection): string {
  const credentials = typeof password === 'string' ? `${user}:${password}` : user;
  return `postgres://${credentials}@localhost/${database}?host=${encodeURIComponent(host)}`;
}
