import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BROKER_TIMEOUT_MS } from '../testing';
import { newFolder } from '../testing/stub-service';
import { Cluster } from './cluster';
import type { RunningBackingService } from './backing-services';
import type { ServiceProcess } from './service-process';

const waitMs = 90_000;
jest.setTimeout(180_000);

interface Credentials {
  readonly companies: readonly { readonly keys: { readonly sandbox: string } }[];
}

interface Reading {
  readonly status: number;
  readonly text: string;
}

describe('a cluster whose Kafka is down', () => {
  const dataDirectory = newFolder();
  const lines = new Map<string, string[]>();
  let cluster: Cluster;
  let kafka: RunningBackingService;
  let linesBefore: ReadonlyMap<string, number>;

  const onLine = (service: string, line: string): void => {
    lines.set(service, [...(lines.get(service) ?? []), line]);
  };

  beforeAll(async () => {
    const env = { KAFKA_PARTITIONS: '1', KAFKA_SESSION_TIMEOUT_SECONDS: '3', RATE_LIMIT_SANDBOX: '0' };
    cluster = await Cluster.start({ dataDirectory, env, onLine });
    kafka = cluster.backingServices.find(({ name }) => name === 'kafka')!;
  }, BROKER_TIMEOUT_MS);

  afterAll(async () => {
    await cluster.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }, 60_000);

  const read = async (url: string, init: RequestInit = {}): Promise<Reading> => {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  };
  /** With the API key of the first demo company. */
  const call = (path: string, init: RequestInit = {}): Promise<Reading> => {
    const { companies } = JSON.parse(readFileSync(join(dataDirectory, 'credentials.json'), 'utf8')) as Credentials;
    const headers = { Authorization: `Bearer ${companies[0]!.keys.sandbox}`, 'Content-Type': 'application/json' };
    return read(`${cluster.baseUrl}/api/v1${path}`, { ...init, headers: { ...headers, ...init.headers } });
  };
  const fund = (key: string): Promise<Reading> =>
    call('/sandbox/funding', {
      method: 'POST',
      body: JSON.stringify({ amount: '1.00' }),
      headers: { 'Idempotency-Key': key },
    });
  const balance = async (): Promise<unknown> => {
    const { status, text } = await call('/balance');
    return { status, ...(JSON.parse(text) as object) };
  };
  /** Waits until readiness contains the text. */
  async function readiness(service: ServiceProcess, text: string): Promise<Reading> {
    const deadline = Date.now() + waitMs;
    let last: Reading | undefined;
    do {
      last = await read(`${service.url}/health/ready`).catch(() => undefined);
      if (last?.text.includes(text)) return last;
      await delay(100);
    } while (Date.now() < deadline);
    throw new Error(`The readiness of ${service.name} does not contain "${text}": ${last?.text}`);
  }
  /** All but the projector, which does not use Kafka. */
  const users = (): readonly ServiceProcess[] => cluster.services.filter(({ service }) => service !== 'projector');
  const gateway = (): ServiceProcess => cluster.services.find(({ service }) => service === 'gateway')!;
  const others = (): readonly ServiceProcess[] => users().filter((service) => service !== gateway());

  it('serves reads and is ready for them, and rejects writes', async () => {
    expect((await fund('before')).status).toBe(201);
    linesBefore = new Map([...lines].map(([service, written]) => [service, written.length]));
    await kafka.stop();
    await Promise.all(others().map((service) => readiness(service, 'no contact with Kafka')));
    const ready = await readiness(gateway(), '"command bus":{"ok":false');
    expect(ready).toMatchObject({ status: 200 });
    expect(ready.text).toContain('"required":false');
    expect(await balance()).toMatchObject({ status: 200, balance: '1.00' });
    const rejected = await fund('during');
    expect(rejected.status).toBe(503);
    expect(JSON.parse(rejected.text)).toMatchObject({ statusCode: 503, code: 'unavailable' });
  });

  it('starts, and is ready when Kafka is available', async () => {
    for (const service of users()) await service.kill();
    for (const service of users()) {
      const waiting = await readiness(service, 'still starting, waiting for');
      expect(waiting.status).toBe(503);
      expect((await read(`${service.url}/health/live`)).status).toBe(200);
    }
    await kafka.start();
    await Promise.all(cluster.services.map((service) => service.start()));
    for (const { name } of users()) {
      const written = lines.get(name)!.slice(linesBefore.get(name));
      expect([name, written.length > 30 ? written : 'a few lines']).toEqual([name, 'a few lines']);
    }
    expect((await fund('during')).status).toBe(201);
    expect((await fund('during')).status).toBe(201);
    expect(await balance()).toMatchObject({ status: 200, balance: '2.00' });
  });

  it('rejects another event store, also without a mark in the folder', async () => {
    await cluster.stop();
    rmSync(join(dataDirectory, 'event-store'));
    const other = { eventStore: 'eventstoredb', eventStoreUrl: 'esdb://127.0.0.1:1?tls=false' } as const;
    await expect(Cluster.start({ dataDirectory, kafkaBrokers: '127.0.0.1:1', ...other })).rejects.toThrow(
      'The events of this database are stored in postgres, but EVENT_STORE is eventstoredb. Set EVENT_STORE=postgres',
    );
    expect(existsSync(join(dataDirectory, 'event-store'))).toBe(false);
  });
});
