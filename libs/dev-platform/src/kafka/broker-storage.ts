import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  java = 'java',
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
  // Every user of the machine can read the arguments of a process, but not this file.
  const argumentFile = join(draftFolder, 'format.arguments');
  writeFileSync(argumentFile, argumentText([...javaArguments(kafka), 'kafka.tools.StorageTool', ...format]), {
    mode: 0o600,
    flag: 'wx',
  });
  try {
    await execute(java, [`@${argumentFile}`]);
  } catch (error) {
    const { code, stderr } = error as { readonly code?: number | string; readonly stderr?: string };
    throw new Error(
      `The broker's storage could not be formatted in ${draft}: java ended with ${code}. ${stderr ?? ''}`,
    );
  } finally {
    rmSync(argumentFile);
  }
  renameSync(draft, storage);
}

/** The contents of an argument file of the java launcher: one quoted argument per line. */
function argumentText(javaOptions: readonly string[]): string {
  return javaOptions.map((option) => `"${option.replace(/["\\]/g, '\\$&')}"\n`).join('');
}

/** Sixteen random bytes in base64url, never with a leading dash: Kafka's tools would parse that as an option. */
export function newClusterId(draw = (): Buffer => randomBytes(16)): string {
  for (;;) {
    const id = draw().toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
