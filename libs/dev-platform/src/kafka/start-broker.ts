import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../network/free-port';
import type { RunningServer } from '../process/running-server';
import { startBrokerProcess } from './broker-process';
import { brokerProperties } from './broker-settings';
import { ensureStorage } from './broker-storage';
import { brokerMark } from './find-broker';
import type { KafkaDistribution } from './kafka-installation';

export interface BrokerPlan {
  readonly kafka: KafkaDistribution;
  readonly dataDirectory: string;
  readonly port: number;
  readonly advertisedPort: number;
  readonly log: (line: string) => void;
  readonly onExit: (error: Error) => void;
}

/** Resolves when clients can connect. */
export async function startBroker(plan: BrokerPlan): Promise<RunningServer> {
  const { kafka, dataDirectory } = plan;
  const storage = join(dataDirectory, 'storage');
  // A separate folder per start, so that two concurrent starts cannot mix up their files. Kafka itself locks the storage.
  const draftFolder = mkdtempSync(join(dataDirectory, 'start-'));
  try {
    await ensureStorage(kafka, storage, draftFolder);
    const properties = join(draftFolder, 'server.properties');
    writeFileSync(properties, brokerProperties({ ...plan, storage, controllerPort: await freePort() }));
    return await startBrokerProcess({ ...plan, properties, mark: brokerMark(dataDirectory) });
  } finally {
    rmSync(draftFolder, { recursive: true, force: true });
  }
}
