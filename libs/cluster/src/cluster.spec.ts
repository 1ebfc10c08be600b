import { until } from '@florin/kernel/testing';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from './cluster';
import type { ClusterOptions } from './cluster-options';
import { commandOf } from './running-process';
import { newFolder, writeStandInService } from './testing/stand-in-service';

/** With a database of its own. The services are stand-ins that never speak to the broker, so none is started. */
describe('a cluster', () => {
  jest.setTimeout(60_000);
  const folder = newFolder();
  const dataDirectory = join(folder, 'data');
  const file = writeStandInService(folder);
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

  const processesOf = ({ services, engines }: Cluster): number[] => [...services, ...engines].map(({ pid }) => pid!);

  async function ask(path = '/'): Promise<{ pid: number; env: Record<string, string> }> {
    const response = await fetch(`${cluster!.baseUrl}${path}`, { headers: { connection: 'close' } });
    return (await response.json()) as { pid: number; env: Record<string, string> };
  }

  it('starts everything, balances over the gateways, and leaves nothing behind', async () => {
    const states: string[] = [];
    const { services, engines } = await start({
      replicas: { gateway: 2, operations: 2 },
      env: { LOG_LEVEL: 'warn' },
      onState: (name, state) => states.push(`${name} ${state}`),
    });
    expect(services).toHaveLength(8);
    expect(engines.map(({ name }) => name)).toEqual(['postgres']);
    expect(states).toEqual(expect.arrayContaining(['postgres ready', 'operations-2 ready']));
    const answers = [await ask(), await ask()];
    const gateways = services.filter(({ service }) => service === 'gateway');
    expect(answers.map(({ pid }) => pid).sort()).toEqual(gateways.map(({ pid }) => pid!).sort());
    expect(answers[0]!.env).toMatchObject({ LOG_LEVEL: 'warn', FLORIN_BASE_URL: cluster!.baseUrl });

    const pids = processesOf(cluster!);
    expect(pids.map(commandOf)).not.toContain(undefined);
    await cluster!.stop();
    expect(pids.map(commandOf)).toEqual(pids.map(() => undefined));
    expect(existsSync(join(dataDirectory, 'processes.json'))).toBe(false);
  });

  it('takes a gateway out of the front while it drains, and puts it back when it is ready', async () => {
    const { services } = await start({ replicas: { gateway: 2 } });
    const [first, second] = services;
    const slow = fetch(`${first!.url}/slow`);
    const stopped = first!.stop();
    expect([(await ask()).pid, (await ask()).pid]).toEqual([second!.pid, second!.pid]);
    await Promise.all([slow, stopped]);
    await first!.start();
    expect(new Set([(await ask()).pid, (await ask()).pid])).toEqual(new Set([first!.pid, second!.pid]));
  });

  it.each([1, 2])('answers every request while %d gateways are restarted', async (gateways) => {
    const { services } = await start({ replicas: { gateway: gateways } });
    const before = processesOf(cluster!);
    let isRestarting = true;
    const asking = (async () => {
      const answers: number[] = [];
      while (isRestarting) answers.push((await ask()).pid);
      return answers;
    })();
    await cluster!.rollingRestart('gateway');
    isRestarting = false;
    const after = services.slice(0, gateways).map(({ pid }) => pid!);
    expect(before).not.toEqual(expect.arrayContaining([after[0]]));
    expect((await asking).every((pid) => before.includes(pid) || after.includes(pid))).toBe(true);
  });

  it('brings its database back when it is killed', async () => {
    const states: string[] = [];
    const { engines } = await start({ onState: (name, state) => name === 'postgres' && states.push(state) });
    const [postgres] = engines;
    const pid = postgres!.pid;
    await postgres!.kill();
    await until(() => postgres!.state === 'ready');
    expect(postgres!.pid).not.toBe(pid);
    expect(states).toEqual(['starting', 'ready', 'crashed', 'starting', 'ready']);
  });

  it('gives all gateways one operator token, that of the credentials where there are any', async () => {
    const credentials = join(dataDirectory, 'credentials.json');
    await start({ replicas: { gateway: 2 } });
    const generated = (await ask()).env['FLORIN_OPERATOR_TOKEN'];
    expect(generated).toMatch(/^flop_.{43}$/);
    expect((await ask()).env['FLORIN_OPERATOR_TOKEN']).toBe(generated);
    await cluster!.stop();
    writeFileSync(credentials, JSON.stringify({ operatorToken: 'the one that is known' }));
    await start();
    expect((await ask()).env['FLORIN_OPERATOR_TOKEN']).toBe('the one that is known');
  });

  it('ends what it has begun when a service cannot start', async () => {
    const starting = start({ env: { CRASH: 'RATE_LIMIT_LIVE must be a whole number' } });
    await expect(starting).rejects.toThrow('RATE_LIMIT_LIVE must be a whole number');
    expect(existsSync(join(dataDirectory, 'processes.json'))).toBe(false);
  });

  it('can be given up while it starts', async () => {
    const givenUp = new AbortController();
    const pids: number[] = [];
    const starting = start({
      env: { NOT_READY: 'waiting for Godot' },
      signal: givenUp.signal,
      onLine: () => {
        const { processes } = JSON.parse(readFileSync(join(dataDirectory, 'processes.json'), 'utf8'));
        pids.push(...processes.map(({ pid }: { pid: number }) => pid));
        givenUp.abort(new Error('Enough'));
      },
    });
    await expect(starting).rejects.toThrow('Enough');
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.map(commandOf)).toEqual(pids.map(() => undefined));
  });

  it('refuses to mix two event stores in one folder', async () => {
    const starting = start({ eventStore: 'eventstoredb', eventStoreUrl: 'esdb://127.0.0.1:1' });
    await expect(starting).rejects.toThrow('keeps its events in postgres, not in eventstoredb');
  });
});
