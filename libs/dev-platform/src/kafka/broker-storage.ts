import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrokerSecurity } from './broker-security';
import { brokerProperties } from './broker-settings';
import { javaArguments } from './java-command';
import type { KafkaDistribution } from './kafka-installation';

const execute = promisify(execFile);

/** Formats the broker's storage on the first start. One rename publishes it, so a kill leaves no partial storage. */
export async function ensureStorage(
  kafka: KafkaDistribution,
  storage: string,
  draftFolder: string,
  security?: BrokerSecurity,
): Promise<void> {
  if (existsSync(storage)) return;
  const draft = join(draftFolder, 'storage');
  const properties = join(draftFolder, 'format.properties');
  // Formatting opens no port; the settings only have to be valid.
  writeFileSync(
    properties,
    brokerProperties({ storage: draft, port: 9092, advertisedPort: 9092, internalPorts: [9093, 9094], security }),
    { mode: 0o600 },
  );
  const users = Object.entries(security?.users ?? {}).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]);
  const format = ['format', '--cluster-id', newClusterId(), '--config', properties, ...users];
  try {
    await execute('java', [...javaArguments(kafka), 'kafka.tools.StorageTool', ...format]);
  } catch (error) {
    throw new Error(`The broker's storage could not be formatted in ${draft}: ${(error as Error).message}`);
  }
  renameSync(draft, storage);
}

/** Sixteen random bytes in base64url, never with a leading dash: Kafka's tools would parse that as an option. */
export function newClusterId(draw = (): Buffer => randomBytes(16)): string {
  for (;;) {
    const id = draw().toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
