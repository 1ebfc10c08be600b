import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The principal that creates the permissions of the others. */
export const administrator = 'admin';

/** The broker's own principal, on the listeners that only it uses. */
export const brokerPrincipal = 'CN=florin-broker';

interface Secrets {
  readonly keystorePassword: string;
  /** The passwords of the SCRAM users by name. */
  readonly users: Readonly<Record<string, string>>;
}

/** The certificate and the users of a broker with TLS and SASL/SCRAM. */
export interface BrokerSecurity extends Secrets {
  readonly keystore: string;
  /** The PEM file by which clients recognize the broker. */
  readonly caFile: string;
  /** Contains the passwords. */
  readonly secretsFile: string;
}

/**
 * The files below this folder: certificate, passwords and the broker's storage, which contains the users. They are created
 * together, and again when a user is missing: the bus holds no state that must be kept.
 */
export async function ensureSecurity(
  folder: string,
  users: readonly string[],
  draftFolder: string,
): Promise<BrokerSecurity> {
  const wanted = [administrator, ...users];
  const existing = readSecurity(folder);
  if (existing !== undefined && wanted.every((user) => existing.users[user] !== undefined)) return existing;
  rmSync(folder, { recursive: true, force: true });
  const draft = join(draftFolder, 'security');
  mkdirSync(draft, { mode: 0o700 });
  const secrets: Secrets = {
    keystorePassword: newPassword(),
    users: Object.fromEntries(wanted.map((user) => [user, newPassword()])),
  };
  writeFileSync(filesIn(draft).secretsFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await createCertificate(draft, secrets.keystorePassword);
  renameSync(draft, folder);
  return { ...secrets, ...filesIn(folder) };
}

function readSecurity(folder: string): BrokerSecurity | undefined {
  const files = filesIn(folder);
  if (!existsSync(files.secretsFile)) return undefined;
  return { ...(JSON.parse(readFileSync(files.secretsFile, 'utf8')) as Secrets), ...files };
}

function filesIn(folder: string): Omit<BrokerSecurity, keyof Secrets> {
  return {
    keystore: join(folder, 'broker.p12'),
    caFile: join(folder, 'ca.pem'),
    secretsFile: join(folder, 'secrets.json'),
  };
}

/** A self-signed certificate for loopback. Java's own tool creates it, which every Java installation has. */
async function createCertificate(folder: string, password: string): Promise<void> {
  const { keystore, caFile } = filesIn(folder);
  // The password is passed in a file, because other users can read the arguments of a process.
  const passwordFile = join(folder, 'keystore-password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const store = ['-keystore', keystore, '-storetype', 'PKCS12', '-storepass:file', passwordFile, '-alias', 'broker'];
  const subject = ['-dname', brokerPrincipal, '-ext', 'san=ip:127.0.0.1,dns:localhost', '-validity', '3650'];
  try {
    await execute('keytool', ['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', ...store, ...subject]);
    await execute('keytool', ['-exportcert', '-rfc', '-file', caFile, ...store]);
  } catch (error) {
    throw new Error(`The broker's certificate could not be created with Java's keytool: ${(error as Error).message}`);
  } finally {
    rmSync(passwordFile);
  }
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
