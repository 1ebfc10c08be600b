import { type EventStoreDbServer, signalProcess } from '@florin/dev-platform';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ChaosEventStore } from '../environment/chaos-event-store';
import type { ChaosDatabase } from '../environment/chaos-database';
import { disturb } from './disturb';
import type { Fault } from './schedule';
import { waitForProgress } from './wait-for-progress';

/** Of the first file of the log, which a run does not fill. */
const chunkHeaderBytes = 128;
const pageBytes = 4_096;

let copies = 0;

/** Injects a fault into EventStoreDB and undoes it. Resolves with the name of what was affected. */
export async function injectEventStoreFault(
  { eventStore, database }: { readonly eventStore: ChaosEventStore; readonly database: ChaosDatabase },
  { kind, forMs, delayMs }: Fault,
): Promise<string> {
  const during = (): Promise<void> => delay(forMs);
  if (kind === 'pause-follower-event-store') return pause(await eventStore.follower(), during);
  const server = await eventStore.leader();
  switch (kind) {
    case 'kill-event-store':
      return exchange(server, during);
    case 'pause-event-store':
      return pause(server, during);
    case 'fill-event-store':
      return fill(server, eventStore.folderOf(server), during);
    case 'empty-event-store':
      return exchange(server, () => runImpostor(eventStore, folderBeside(eventStore), during));
    case 'restore-event-store': {
      const copy = folderBeside(eventStore);
      await exchange(server, async () => cpSync(eventStore.folderOf(server), copy, { recursive: true }));
      // A copy is older only if a read model knows more than it has.
      if (!(await waitForProgress({ eventStore, database }))) return 'nothing: no event was appended after the copy';
      return exchange(server, () => runImpostor(eventStore, copy, during));
    }
    default:
      if (eventStore.proxy !== undefined) await disturb(eventStore.proxy, kind, forMs, delayMs);
      return nameOf(server);
  }
}

/** Kills the server, and restarts it on its data after the action. */
async function exchange(server: EventStoreDbServer, action: () => Promise<void>): Promise<string> {
  await server.kill();
  try {
    await action();
  } finally {
    await server.restart();
  }
  return nameOf(server);
}

async function runImpostor(store: ChaosEventStore, folder: string, action: () => Promise<void>): Promise<void> {
  const impostor = await store.startImpostor(folder);
  try {
    await action();
  } finally {
    await impostor.kill();
  }
}

async function pause(server: EventStoreDbServer, action: () => Promise<void>): Promise<string> {
  signalProcess(server.pid, 'SIGSTOP');
  await action().finally(() => signalProcess(server.pid, 'SIGCONT'));
  return nameOf(server);
}

/**
 * A limit on the size of its files, which needs no privileges: the log cannot grow beyond the page that is written now. The
 * server behaves as on a full disk: its appends fail, and it exits.
 */
async function fill(server: EventStoreDbServer, folder: string, action: () => Promise<void>): Promise<string> {
  const written = Number(readFileSync(join(folder, 'writer.chk')).readBigInt64LE()) + chunkHeaderBytes;
  const limit = Math.ceil(written / pageBytes) * pageBytes;
  await promisify(execFile)('prlimit', ['--pid', String(server.pid), `--fsize=${limit}:`]);
  await action();
  return exchange(server, async () => undefined);
}

function folderBeside(eventStore: ChaosEventStore): string {
  copies += 1;
  return `${eventStore.dataDirectory}-${copies}`;
}

function nameOf({ port }: EventStoreDbServer): string {
  return `port ${port}`;
}
