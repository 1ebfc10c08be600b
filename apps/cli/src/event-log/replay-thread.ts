import { KeyRing } from '@florin/kernel';
import { readModels, replayPart } from '@florin/read-models/tools';
import { chooseStores, openVaultKeys, readConfig } from '@florin/runtime/tools';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReplayThreadData } from './replay-threads';

/** The entry of a thread that rebuilds a part of the read models. It has no bus, no issuer and no HTTP client either. */
async function run({ environment, connection, part }: ReplayThreadData): Promise<void> {
  const config = readConfig(environment);
  const keys = openVaultKeys(config, { warn: () => undefined }) ?? new KeyRing([]);
  const { store, close } = await chooseStores(config, connection);
  try {
    await replayPart(readModels(keys), part, { connection, store }, (progress) => parentPort!.postMessage(progress));
  } finally {
    await close();
  }
}

void run(workerData as ReplayThreadData);
