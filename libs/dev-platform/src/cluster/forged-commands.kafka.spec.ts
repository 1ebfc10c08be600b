import { BusKeys } from '@florin/bus-trust';
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type IHeaders, Kafka, logLevel, type Message } from 'kafkajs';
import { BROKER_TIMEOUT_MS } from '../testing';
import { newFolder } from '../testing/stub-service';
import { Cluster } from './cluster';

jest.setTimeout(60_000);

interface Credentials {
  readonly operatorToken: string;
  readonly companies: readonly { readonly id: string; readonly keys: { readonly live: string } }[];
}

/** An attacker with access to Kafka writes forged commands. */
describe('a cluster on a secured broker', () => {
  const dataDirectory = newFolder();
  let cluster: Cluster;
  let brokers: string;
  let company: Credentials['companies'][number];

  const fileOf = (name: string): string => readFileSync(join(dataDirectory, name), 'utf8');

  beforeAll(async () => {
    cluster = await Cluster.start({ dataDirectory, env: { KAFKA_PARTITIONS: '1' } });
    brokers = cluster.kafkaBrokers;
    company = (JSON.parse(fileOf('credentials.json')) as Credentials).companies[0]!;
  }, BROKER_TIMEOUT_MS);

  afterAll(async () => {
    await cluster.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }, 60_000);

  /** A client with the stolen password of a service, or without any. */
  function kafkaAs(user?: string): Kafka {
    const { users } = JSON.parse(fileOf('kafka/secured/secrets.json')) as { users: Record<string, string> };
    return new Kafka({
      brokers: [brokers],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
      ...(user !== undefined && {
        ssl: { ca: [fileOf('kafka/secured/ca.pem')] },
        sasl: { mechanism: 'scram-sha-512', username: user, password: users[user]! },
      }),
    });
  }

  async function write(kafka: Kafka, topic: string, messages: Message[]): Promise<void> {
    const producer = kafka.producer({ retry: { retries: 0 } });
    await producer.connect();
    try {
      await producer.send({ topic, messages });
    } finally {
      await producer.disconnect();
    }
  }

  async function deadLetterReasons(count: number): Promise<readonly string[]> {
    const consumer = kafkaAs('admin').consumer({ groupId: randomUUID() });
    const reasons: string[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: ['ledger.dead-letters'], fromBeginning: true });
    await new Promise<void>((resolve) => {
      const eachMessage = async ({ message }: { message: { headers?: IHeaders } }): Promise<void> => {
        if (reasons.push(String(message.headers?.['dead-letter-reason']).split(':')[0]!) === count) resolve();
      };
      void consumer.run({ eachMessage });
    });
    await consumer.disconnect();
    return reasons;
  }

  async function liveBalance(): Promise<unknown> {
    const headers = { Authorization: `Bearer ${company.keys.live}` };
    return (await fetch(`${cluster.baseUrl}/api/v1/balance`, { headers })).json();
  }

  function deposit(): Message & { readonly value: string } {
    const accountId = `${company.id}-live`;
    const depositId = randomUUID();
    const data = { accountId, depositId, reference: depositId, amount: '777777.00', fee: '0.00', description: 'x' };
    const command = { type: 'DepositFunds', data: { ...data, fingerprint: 'x' } };
    const headers = { correlationId: 'x', causationId: 'x', actor: { kind: 'service', id: 'invoicing' } };
    const message = { context: 'ledger', key: accountId, id: depositId, command, headers };
    return { key: accountId, value: JSON.stringify(message) };
  }

  /** As a service would sign it, with the given key. */
  function signed(sender: string, edge: string, context = 'ledger'): Message {
    const entry = BusKeys.parse(fileOf('bus-keys')).keysOf()({
      sender: edge.split('>')[0]!,
      context: edge.split('>')[1]!,
    });
    const { key, value } = deposit();
    const headers: Record<string, string> = { sender, 'sent-at': String(Date.now()), 'message-id': randomUUID() };
    const routing = ['florin command', `${context}.commands`, key, sender, headers['sent-at'], headers['message-id']];
    const text = `${JSON.stringify([...routing, null, null, null, null])}\n`;
    const signature = createHmac('sha256', entry[0]!).update(text).update(value).digest('base64url');
    return { key, value, headers: { ...headers, signature } };
  }

  it('refuses clients without TLS and password, and services without the permission', async () => {
    await expect(write(kafkaAs(), 'ledger.commands', [deposit()])).rejects.toThrow();
    const stolen = write(kafkaAs('webhook-dispatcher'), 'ledger.commands', [deposit()]);
    await expect(stolen).rejects.toThrow('Topic authorization failed');
  });

  it('credits no account for forged commands, and keeps each one as a dead letter with the reason', async () => {
    const before = await liveBalance();
    await write(kafkaAs('admin'), 'ledger.commands', [
      deposit(),
      signed('invoicing', 'operations>ledger'),
      signed('webhook-dispatcher', 'webhook-dispatcher>webhooks'),
      // The gateway's own key is genuine, but it may credit sandbox accounts only.
      signed('gateway', 'gateway>ledger'),
    ]);
    await expect(deadLetterReasons(4)).resolves.toEqual([
      'unsigned',
      'bad_signature',
      'unknown_sender',
      'not_permitted',
    ]);
    expect(await liveBalance()).toEqual(before);
  });

  it('accepts the same command from the service that may send it', async () => {
    await write(kafkaAs('invoicing'), 'ledger.commands', [signed('invoicing', 'invoicing>ledger')]);
    const credited = async (): Promise<boolean> => JSON.stringify(await liveBalance()).includes('777777.00');
    while (!(await credited())) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});
