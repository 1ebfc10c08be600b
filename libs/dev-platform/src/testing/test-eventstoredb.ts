import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDbCluster } from '../eventstoredb/eventstoredb-cluster';
import { EventStoreDbServer, type EventStoreDbServerOptions } from '../eventstoredb/eventstoredb-server';
import { findEventStoreDb } from '../eventstoredb/find-eventstoredb';
import { loopback } from '../network/free-port';
import { createTestCertificates } from './test-certificates';

/** The timeout for the start of a server on a busy machine. */
export const EVENTSTOREDB_TIMEOUT_MS = 120_000;

/** `describe` for suites that start a real EventStoreDB. Skips them where there is no command to start one. */
export function describeWithEventStoreDb(name: string, define: () => void): void {
  if (findEventStoreDb(process.env) !== undefined) return describe(name, define);
  process.stderr.write(
    `Skipped "${name}": no EventStoreDB found. Set EVENTSTOREDB_RUN to a command that starts one (docs/CLUSTER.md).\n`,
  );
  describe.skip(name, define);
}

/** A server on a free port, with a data folder that `remove` deletes. */
export async function startTestEventStoreDb(
  ...serverOptions: readonly string[]
): Promise<{ readonly server: EventStoreDbServer; readonly dataDirectory: string; remove(): Promise<void> }> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'florin-eventstoredb-'));
  const options: EventStoreDbServerOptions = { command: findEventStoreDb(process.env)!, dataDirectory, serverOptions };
  const server = await EventStoreDbServer.start(options);
  return {
    server,
    dataDirectory,
    remove: async () => {
      await server.kill();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

export interface SecuredTestEventStoreDb {
  readonly port: number;
  readonly authorityFile: string;
  /** The connection string of a user, such as `admin:changeit`, the first administrator. */
  urlOf(user: string): string;
  remove(): Promise<void>;
}

/** A server with TLS, a private certificate authority and users. */
export async function startSecuredTestEventStoreDb(): Promise<SecuredTestEventStoreDb> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-eventstoredb-'));
  const { authorities, authorityFile, certificateFile, keyFile } = createTestCertificates(folder);
  const serverOptions = [
    ...['--mem-db', '--certificate-file', certificateFile, '--certificate-private-key-file', keyFile],
    ...['--trusted-root-certificates-path', authorities],
  ];
  const command = findEventStoreDb(process.env)!;
  const dataDirectory = join(folder, 'data');
  const server = await EventStoreDbServer.start({ command, dataDirectory, serverOptions, isSecure: true });
  return {
    port: server.port,
    authorityFile,
    urlOf: (user) => `esdb://${user}@${loopback}:${server.port}?tlsCAFile=${authorityFile}`,
    remove: async () => {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Three nodes, with a data folder that `remove` deletes. */
export async function startTestEventStoreDbCluster(): Promise<{
  readonly cluster: EventStoreDbCluster;
  remove(): Promise<void>;
}> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'florin-eventstoredb-'));
  const cluster = await EventStoreDbCluster.start({ command: findEventStoreDb(process.env)!, dataDirectory });
  return {
    cluster,
    remove: async () => {
      await cluster.kill();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
