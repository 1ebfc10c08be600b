import { BROKER_TIMEOUT_MS, describeWithEventStoreDb, testBroker } from '../testing';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStoreKind } from '@florin/database';
import { Cluster } from './cluster';
import { serviceNames, type ServiceName } from './services';
import { newFolder } from '../testing/stub-service';

const clients = 2;
/** Without a chain, no tron-watcher runs. */
const services = serviceNames.filter((service) => service !== 'tron-watcher');
const replicas: Partial<Record<ServiceName, number>> = { gateway: 2, ledger: 2, operations: 2, projector: 2 };
/** The names of all replicas. */
const all = services.flatMap((service) =>
  Array.from({ length: replicas[service] ?? 1 }, (_, index) => `${service}-${index + 1}`),
);

interface Credentials {
  readonly companies: readonly { readonly keys: { readonly sandbox: string } }[];
}

function realServices(eventStore: EventStoreKind): void {
  const dataDirectory = newFolder();
  const lines: string[] = [];
  let cluster: Cluster;

  beforeAll(async () => {
    const env = {
      KAFKA_TOPIC_PREFIX: `${basename(dataDirectory)}.`,
      KAFKA_PARTITIONS: '4',
      KAFKA_SESSION_TIMEOUT_SECONDS: '3',
      PROCESS_SHARDS: '4',
      PROJECTION_SHARDS: '2',
      RATE_LIMIT_SANDBOX: '0',
      EVENTSTOREDB_RUN: process.env.EVENTSTOREDB_RUN ?? '',
    };
    const kafkaBrokers = await testBroker();
    const onLine = (_service: string, line: string): void => void lines.push(line);
    cluster = await Cluster.start({ dataDirectory, replicas, eventStore, env, kafkaBrokers, onLine });
  }, BROKER_TIMEOUT_MS);

  afterAll(async () => {
    await cluster.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }, 60_000);

  /** With the API key of the first demo company. */
  const call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const { companies } = JSON.parse(readFileSync(join(dataDirectory, 'credentials.json'), 'utf8')) as Credentials;
    const headers = { Authorization: `Bearer ${companies[0]!.keys.sandbox}`, 'Content-Type': 'application/json' };
    return fetch(`${cluster.baseUrl}/api/v1${path}`, { ...init, headers: { ...headers, ...init.headers } });
  };
  const fund = (key: string): Promise<Response> => {
    const body = JSON.stringify({ amount: '1.00' });
    return call('/sandbox/funding', { method: 'POST', body, headers: { 'Idempotency-Key': key } });
  };
  const balance = async (): Promise<number> => {
    const { available } = (await (await call('/balance')).json()) as { available: string };
    return Number(available);
  };

  it('are all running', () => {
    expect(cluster.services.map(({ name }) => name)).toEqual(all);
  });

  /** A replica beside others is stopped and started; a single one is replaced when its successor is ready. */
  async function restart(name: string): Promise<void> {
    const replica = cluster.services.find((one) => one.name === name)!;
    if (replicas[replica.service as ServiceName] === undefined) return replica.replace();
    await replica.stop();
    await replica.start();
  }

  // The gateways last: they start slowly while the rest of a new cluster is still warming up.
  it.each([...all].reverse())(
    'drop no request during a restart of %s',
    async (name) => {
      const before = await balance();
      const statuses: number[] = [];
      let isOver = false;
      const client = async (number: number): Promise<void> => {
        for (let count = 0; !isOver; count++) {
          statuses.push((await fund(`${name}-${number}-${count}`)).status);
          // Without a pause, the clients take the time that the starting replica needs.
          await delay(50);
        }
      };
      const working = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
      const restarting = restart(name).finally(() => (isOver = true));
      await Promise.all([working, restarting]);
      expect(statuses.filter((status) => status !== 201)).toEqual([]);
      expect(await balance()).toBe(before + statuses.length);
    },
    120_000,
  );

  it('share the commands of a context among its replicas', () => {
    const joins = lines
      .filter((line) => line.includes('"Joined a consumer group"') && line.includes('.ledger.commands'))
      .map((line) => (JSON.parse(line) as { partitions: readonly number[] }).partitions);
    expect(joins.some((partitions) => partitions.length === 2)).toBe(true);
  });
}

describe('the real services, with their events in postgres', () => realServices('postgres'));
describeWithEventStoreDb('the real services, with their events in eventstoredb', () => realServices('eventstoredb'));
