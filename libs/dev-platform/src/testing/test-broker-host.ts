import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBroker, killBroker } from '../kafka/find-broker';
import type { KafkaBroker } from '../kafka/kafka-broker';
import { listProcesses } from '../process/process-list';
import { type BrokerReply, TEST_BROKER_VARIABLE } from './test-broker';

const FOLDER_PREFIX = 'florin-kafka-test-';

/**
 * Jest runs suites in several worker processes. The main process owns the broker, starts it on the first request and
 * reports its address to every worker. Resolves with the function that stops it.
 */
export async function hostTestBroker(): Promise<() => Promise<void>> {
  await killAbandonedBrokers();
  let starting: Promise<KafkaBroker> | undefined;
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const reply = async (socket: Socket): Promise<void> => {
    socket.on('error', () => undefined);
    starting ??= startBroker(folder);
    socket.end(JSON.stringify(await replyOf(starting)));
  };
  const server = createServer((socket) => void reply(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[TEST_BROKER_VARIABLE] = String((server.address() as AddressInfo).port);
  return async () => {
    server.close();
    const broker = await starting?.catch(() => undefined);
    // Its data is not needed any more.
    await broker?.kill();
    rmSync(folder, { recursive: true, force: true });
  };
}

/**
 * Loads the compiled broker: when a spec requests it, Jest no longer compiles TypeScript for its global setup. Suites that
 * need a broker run after a build.
 */
async function startBroker(dataDirectory: string): Promise<KafkaBroker> {
  const compiled = join(__dirname, '../../dist/kafka/kafka-broker.js');
  const broker = (await import(compiled)) as { readonly KafkaBroker: typeof KafkaBroker };
  return broker.KafkaBroker.start({ dataDirectory });
}

async function replyOf(starting: Promise<KafkaBroker>): Promise<BrokerReply> {
  try {
    return { address: (await starting).address };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** A killed run leaves its broker behind; the next run kills it. */
async function killAbandonedBrokers(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(FOLDER_PREFIX));
  await Promise.all(folders.map((name) => killIfAbandoned(name)));
}

async function killIfAbandoned(name: string): Promise<void> {
  const run = Number(name.slice(FOLDER_PREFIX.length).split('-')[0]);
  try {
    const folder = realpathSync(join(tmpdir(), name));
    const broker = findBroker(folder);
    if (broker ? !broker.isOrphaned : listProcesses().some(({ pid }) => pid === run)) return;
    if (broker) await killBroker(broker, folder);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another run was faster, or the folder belongs to another user.
  }
}
