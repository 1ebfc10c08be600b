import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../network/free-port';
import type { RunningServer } from '../process/running-server';
import { startBrokerProcess } from './broker-process';
import { type BrokerSecurity, ensureSecurity } from './broker-security';
import { brokerProperties } from './broker-settings';
import { ensureStorage } from './broker-storage';
import { brokerMark } from './find-broker';
import type { KafkaDistribution } from './kafka-installation';

export interface BrokerPlan {
  readonly kafka: KafkaDistribution;
  readonly dataDirectory: string;
  readonly port: number;
  readonly advertisedPort: number;
  /** The services that may connect, with TLS, SASL/SCRAM and permissions. Absent: everybody, without any of these. */
  readonly services?: readonly string[];
  readonly log: (line: string) => void;
  readonly onExit: (error: Error) => void;
}

export interface StartedBroker {
  readonly process: RunningServer;
  readonly security?: BrokerSecurity;
}

/** Resolves when clients can connect. */
export async function startBroker(plan: BrokerPlan): Promise<StartedBroker> {
  const { kafka, dataDirectory, services } = plan;
  const secured = join(dataDirectory, 'secured');
  // A separate folder per start, so that two concurrent starts cannot mix up their files. Kafka itself locks the storage.
  const draftFolder = mkdtempSync(join(dataDirectory, 'start-'));
  try {
    const security = services && (await ensureSecurity(secured, services, draftFolder));
    const storage = join(security === undefined ? dataDirectory : secured, 'storage');
    await ensureStorage(kafka, storage, draftFolder, security);
    const properties = join(draftFolder, 'server.properties');
    const internalPorts = [await freePort(), await freePort()] as const;
    writeFileSync(properties, brokerProperties({ ...plan, storage, internalPorts, security }), { mode: 0o600 });
    const process = await startBrokerProcess({ ...plan, properties, mark: brokerMark(dataDirectory) });
    return { process, security };
  } finally {
    rmSync(draftFolder, { recursive: true, force: true });
  }
}
