import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { freePort } from '../network/free-port';
import { BROKER_TIMEOUT_MS } from '../testing';
import { javaArguments } from './java-command';
import { provideKafka } from './kafka-distribution';

jest.setTimeout(BROKER_TIMEOUT_MS);

const script = resolve(__dirname, '../../../../deploy/kafka/start.sh');

/** The start script of Compose, with the folders of the container elsewhere. */
describe('the broker of Compose', () => {
  const root = mkdtempSync(join(tmpdir(), 'florin-compose-kafka-'));
  const [data, secrets, ca] = ['data', 'secrets', 'ca'].map((name) => join(root, name)) as [string, string, string];
  const passwords: Record<string, string> = { admin: randomUUID(), 'tron-watcher': randomUUID() };
  let port: number;

  beforeAll(async () => {
    const kafka = await provideKafka();
    for (const folder of [data, secrets, ca, join(root, 'home/bin')]) mkdirSync(folder, { recursive: true });
    symlinkSync(kafka.folder, join(root, 'home/libs'));
    const java = ['exec java', ...javaArguments(kafka), 'kafka.Kafka', '"$@"'].join(' ');
    writeFileSync(join(root, 'home/bin/kafka-server-start.sh'), `#!/bin/bash\n${java}\n`, { mode: 0o755 });
    port = await freePort();
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  async function withBroker(work: () => Promise<void>): Promise<void> {
    const env = {
      ...{ PATH: process.env['PATH'], KAFKA_HOME: join(root, 'home'), KAFKA_PORT: String(port) },
      ...{ BROKER_HOST: 'localhost', KAFKA_DATA: data, KAFKA_SECRETS: secrets, KAFKA_CA: ca },
      ...{ KAFKA_PASSWORD_ADMIN: passwords.admin, KAFKA_PASSWORD_TRON_WATCHER: passwords['tron-watcher'] },
    };
    const broker = spawn('bash', [script], { env, stdio: 'ignore' });
    const ended = once(broker, 'exit');
    try {
      await work();
    } finally {
      broker.kill();
      await ended;
    }
  }

  /** Retries until the broker listens. */
  async function topicsAs(username: string, password = passwords[username]!): Promise<string[]> {
    const admin = new Kafka({
      brokers: [`localhost:${port}`],
      logLevel: logLevel.NOTHING,
      ssl: { ca: [readFileSync(join(ca, 'ca.pem'))] },
      sasl: { mechanism: 'scram-sha-512', username, password },
    }).admin();
    await admin.connect();
    try {
      return await admin.listTopics();
    } finally {
      await admin.disconnect();
    }
  }

  async function untilReady(): Promise<void> {
    for (;;) {
      try {
        await topicsAs('admin');
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  it('creates a certificate and a user for each password', async () => {
    await withBroker(async () => {
      await untilReady();
      await expect(topicsAs('tron-watcher')).resolves.toEqual([]);
      await expect(topicsAs('tron-watcher', 'wrong')).rejects.toThrow(/auth/i);
    });
  });

  it('shares its certificate only, and keeps no password of a user', () => {
    expect(readdirSync(ca)).toEqual(['ca.pem']);
    expect(readdirSync(secrets).sort()).toEqual(['broker.p12', 'password', 'server.properties']);
    for (const file of readdirSync(secrets)) expect(statSync(join(secrets, file)).mode & 0o077).toBe(0);
    expect(readFileSync(join(secrets, 'server.properties'), 'utf8')).not.toContain(passwords.admin);
  });

  it('starts again with the same users', async () => {
    await withBroker(async () => {
      await untilReady();
      await expect(topicsAs('tron-watcher')).resolves.toEqual([]);
    });
  });
});
