import { processStart } from '@florin/database';
import { until } from '@florin/kernel/testing';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from './cluster';
import type { ClusterOptions } from './cluster-options';
import { newFolder, writeStubService } from '../testing/stub-service';

/** With its own database. The services are stubs that never connect to Kafka, so no broker is started. */
describe('a cluster', () => {
  jest.setTimeout(60_000);
  const folder = newFolder();
  const dataDirectory = join(folder, 'data');
  const file = writeStubService(folder);
  let cluster: Cluster | undefined;

  afterEach(async () => {
    await cluster?.stop();
    cluster = undefined;
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  async function start(options: Partial<ClusterOptions> = {}): Promise<Cluster> {
    cluster = await Cluster.start({ dataDirectory, kafkaBrokers: '127.0.0.1:1', fileOf: () => file, ...options });
    return cluster;
  }

  const processesOf = ({ services, backingServices }: Cluster): number[] =>
    [...services, ...backingServices].map(({ pid }) => pid!);

  async function request(path = '/'): Promise<{ pid: number; env: Record<string, string> }> {
    const response = await fetch(`${cluster!.baseUrl}${path}`, { headers: { connection: 'close' } });
    return (await response.json()) as { pid: number; env: Record<string, string> };
  }

  it('starts everything, balances over the gateways, and leaves no process behind', async () => {
    const states: string[] = [];
    const { services, backingServices } = await start({
      replicas: { gateway: 2, operations: 2 },
      env: { LOG_LEVEL: 'warn' },
      onState: (name, state) => states.push(`${name} ${state}`),
    });
    expect(services).toHaveLength(8);
    expect(backingServices.map(({ name }) => name)).toEqual(['postgres']);
    expect(states).toEqual(expect.arrayContaining(['postgres ready', 'operations-2 ready']));
    const responses = [await request(), await request()];
    const gateways = services.filter(({ service }) => service === 'gateway');
    expect(responses.map(({ pid }) => pid).sort()).toEqual(gateways.map(({ pid }) => pid!).sort());
    expect(responses[0]!.env).toMatchObject({ LOG_LEVEL: 'warn', FLORIN_BASE_URL: cluster!.baseUrl });
    expect(responses[0]!.env['DATABASE_URL']).toMatch(/^postgres:\/\/florin_gateway:[^@]+@localhost\/florin\?host=/);

    const pids = processesOf(cluster!);
    expect(pids.map(processStart)).not.toContain(undefined);
    await cluster!.stop();
    expect(pids.map(processStart)).toEqual(pids.map(() => undefined));
    expect(existsSync(join(dataDirectory, 'processes.json'))).toBe(false);
  });

  it('sends no connections to a gateway while it drains, and resumes when it is ready again', async () => {
    const { services } = await start({ replicas: { gateway: 2 } });
    const [first, second] = services;
    const slow = fetch(`${first!.url}/slow`);
    const stopped = first!.stop();
    expect([(await request()).pid, (await request()).pid]).toEqual([second!.pid, second!.pid]);
    await Promise.all([slow, stopped]);
    await first!.start();
    expect(new Set([(await request()).pid, (await request()).pid])).toEqual(new Set([first!.pid, second!.pid]));
  });

  it.each([1, 2])('responds to every request while %d gateways are restarted', async (gateways) => {
    const { services } = await start({ replicas: { gateway: gateways } });
    const before = processesOf(cluster!);
    let isRestarting = true;
    const requesting = (async () => {
      const pids: number[] = [];
      while (isRestarting) pids.push((await request()).pid);
      return pids;
    })();
    await cluster!.rollingRestart('gateway');
    isRestarting = false;
    const after = services.slice(0, gateways).map(({ pid }) => pid!);
    expect(before).not.toEqual(expect.arrayContaining([after[0]]));
    expect((await requesting).every((pid) => before.includes(pid) || after.includes(pid))).toBe(true);
  });

  it('restarts its database when it is killed', async () => {
    const states: string[] = [];
    const { backingServices } = await start({ onState: (name, state) => name === 'postgres' && states.push(state) });
    const [postgres] = backingServices;
    const pid = postgres!.pid;
    await postgres!.kill();
    await until(() => postgres!.state === 'ready');
    expect(postgres!.pid).not.toBe(pid);
    expect(states).toEqual(['starting', 'ready', 'crashed', 'starting', 'ready']);
  });

  it('gives all gateways the same operator token, from credentials.json if it exists', async () => {
    const credentials = join(dataDirectory, 'credentials.json');
    await start({ replicas: { gateway: 2 } });
    const generated = (await request()).env['FLORIN_OPERATOR_TOKEN'];
    expect(generated).toMatch(/^flop_.{43}$/);
    expect((await request()).env['FLORIN_OPERATOR_TOKEN']).toBe(generated);
    await cluster!.stop();
    writeFileSync(credentials, JSON.stringify({ operatorToken: 'the known token' }));
    await start();
    expect((await request()).env['FLORIN_OPERATOR_TOKEN']).toBe('the known token');
  });

  it('needs a configured token without demo data, because no file would contain a generated one', async () => {
    const empty = join(folder, 'empty');
    await expect(start({ dataDirectory: empty, env: { FLORIN_SEED: 'none' } })).rejects.toThrow(
      'set FLORIN_OPERATOR_TOKEN',
    );
  });

  it('stops everything when a service cannot start', async () => {
    const starting = start({ env: { CRASH: 'RATE_LIMIT_LIVE must be a whole number' } });
    await expect(starting).rejects.toThrow('RATE_LIMIT_LIVE must be a whole number');
    expect(existsSync(join(dataDirectory, 'processes.json'))).toBe(false);
  });

  it('can be cancelled while it starts', async () => {
    const cancelled = new AbortController();
    const pids: number[] = [];
    const starting = start({
      env: { NOT_READY: 'never ready' },
      signal: cancelled.signal,
      onLine: () => {
        const { processes } = JSON.parse(readFileSync(join(dataDirectory, 'processes.json'), 'utf8'));
        pids.push(...processes.map(({ pid }: { pid: number }) => pid));
        cancelled.abort(new Error('Cancelled'));
      },
    });
    await expect(starting).rejects.toThrow('Cancelled');
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.map(processStart)).toEqual(pids.map(() => undefined));
  });

  it('rejects a command for EventStoreDB that does not exist, and does not mark the folder', async () => {
    const unused = join(folder, 'unused');
    const env = { EVENTSTOREDB_RUN: '/no/such/command' };
    const starting = start({ dataDirectory: unused, eventStore: 'eventstoredb', env });
    await expect(starting).rejects.toThrow('EVENTSTOREDB_RUN names /no/such/command, which does not exist');
    expect(existsSync(join(unused, 'event-store'))).toBe(false);
  });

  it('rejects a second event store on the same folder', async () => {
    const starting = start({ eventStore: 'eventstoredb', eventStoreUrl: 'esdb://127.0.0.1:1' });
    await expect(starting).rejects.toThrow('keeps its events in postgres, not in eventstoredb');
  });
});
