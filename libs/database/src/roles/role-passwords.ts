import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';

/** Passwords by the name of a role in the database. */
export type RolePasswords = Readonly<Record<string, string>>;

/** SCRAM normalizes other characters, so that two spellings would be one password. */
const storable = /^[\x21-\x7e]+$/;

export function generatePassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Lets roles log in with these passwords. */
export async function setRolePasswords(connection: DatabaseConnection, passwords: RolePasswords): Promise<void> {
  const statements = Object.entries(passwords).map(
    ([name, password]) => `ALTER ROLE ${name} LOGIN PASSWORD '${scramVerifier(name, password)}'`,
  );
  const client = new Client({ ...connection, application_name: 'florin-migrations' });
  await client.connect();
  try {
    await client.query(statements.join(';\n'));
  } finally {
    await client.end();
  }
}

/** What Postgres stores (RFC 5803). It is computed here so that no log of statements contains a password. */
function scramVerifier(name: string, password: string): string {
  if (!storable.test(password)) throw new Error(`The password of ${name} must be visible ASCII without spaces.`);
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
