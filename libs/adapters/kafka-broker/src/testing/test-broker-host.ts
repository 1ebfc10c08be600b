import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokerOnFolder, endBroker } from '../broker-on-folder';
import { KafkaBroker } from '../kafka-broker';
import { TEST_BROKER_VARIABLE, type Answer } from './test-broker';

const FOLDER_PREFIX = 'florin-kafka-test-';

/**
 * Jest runs suites in several processes, which come and go, while its own lives as long as the run. So that one has the
 * broker, starts it when the first suite asks, and tells its address to all. Returns what ends all that.
 */
export async function hostTestBroker(): Promise<() => Promise<void>> {
  await endAbandonedBrokers();
  let starting: Promise<KafkaBroker> | undefined;
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const answer = async (socket: Socket): Promise<void> => {
    socket.on('error', () => undefined);
    starting ??= KafkaBroker.start({ dataDirectory: folder });
    socket.end(JSON.stringify(await answerOf(starting)));
  };
  const server = createServer((socket) => void answer(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[TEST_BROKER_VARIABLE] = String((server.address() as AddressInfo).port);
  return async () => {
    server.close();
    const broker = await starting?.catch(() => undefined);
    // Nobody needs what it holds.
    await broker?.kill();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function answerOf(starting: Promise<KafkaBroker>): Promise<Answer> {
  try {
    return { address: (await starting).address };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** A run that was killed leaves its broker behind; the next run ends it, so that they do not pile up. */
async function endAbandonedBrokers(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(FOLDER_PREFIX));
  await Promise.all(folders.map((name) => endIfAbandoned(name)));
}

async function endIfAbandoned(name: string): Promise<void> {
  const run = Number(name.slice(FOLDER_PREFIX.length).split('-')[0]);
  try {
    const folder = realpathSync(join(tmpdir(), name));
    const broker = brokerOnFolder(folder);
    if (broker ? !broker.isLeftBehind : isAlive(run)) return;
    if (broker) await endBroker(broker, folder);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another run was quicker, or it belongs to another user.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
