import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brokerProperties } from './broker-settings';
import { javaArguments } from './java-command';
import type { KafkaDistribution } from './kafka-installation';

const execute = promisify(execFile);

/** Formats the broker's storage on the first start. It appears by one rename, so a kill midway leaves nothing half-made. */
export async function ensureStorage(kafka: KafkaDistribution, storage: string, draftFolder: string): Promise<void> {
  if (existsSync(storage)) return;
  const draft = join(draftFolder, 'storage');
  const properties = join(draftFolder, 'format.properties');
  // Formatting listens nowhere; the ports only have to be there.
  writeFileSync(
    properties,
    brokerProperties({ storage: draft, port: 9092, advertisedPort: 9092, controllerPort: 9093 }),
  );
  const format = ['format', '--cluster-id', newClusterId(), '--config', properties];
  try {
    await execute('java', [...javaArguments(kafka), 'kafka.tools.StorageTool', ...format]);
  } catch (error) {
    throw new Error(`The broker's storage could not be formatted in ${draft}: ${(error as Error).message}`);
  }
  renameSync(draft, storage);
}

/** Sixteen bytes as Kafka writes them. Like Kafka's own, never with a dash in front: its tools would take it for an option. */
export function newClusterId(draw = (): Buffer => randomBytes(16)): string {
  for (;;) {
    const id = draw().toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
