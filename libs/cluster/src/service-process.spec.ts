import { until } from '@florin/kernel/testing';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { probeHealth } from './probe';
import { ProcessRecord } from './process-record';
import type { Program } from './program';
import { commandOf } from './running-process';
import { ServiceProcess } from './service-process';
import { newFolder, writeStandInService } from './testing/stand-in-service';

describe('a service process', () => {
  const folder = newFolder();
  const file = writeStandInService(folder);
  const started: ServiceProcess[] = [];
  let record: ProcessRecord;

  beforeAll(async () => {
    record = await ProcessRecord.open(folder, () => undefined);
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.stop().catch(() => undefined)));
  });

  afterAll(() => {
    record.close();
    rmSync(folder, { recursive: true });
  });

  function create(env: Record<string, string> = {}, changes: Partial<Program> = {}) {
    const [states, lines]: [string[], string[]] = [[], []];
    const program: Program = {
      ...{ name: 'stand-in-1', service: 'stand-in', file, probe: probeHealth, patienceMs: 20_000 },
      arguments: () => [],
      env: (port) => ({ HOST: '127.0.0.1', PORT: String(port), ...env }),
      ...changes,
    };
    const listener = {
      onLine: (_: string, line: string) => void lines.push(line),
      onState: (_: string, state: string) => void states.push(state),
    };
    const service = new ServiceProcess(program, listener, record);
    started.push(service);
    return { service, states, lines };
  }

  it('is started once it is ready, tells what it prints, and ends when it is told to', async () => {
    const { service, states, lines } = create();
    await service.start();
    expect(service).toMatchObject({ name: 'stand-in-1', service: 'stand-in', state: 'ready' });
    expect((await fetch(service.url)).status).toBe(200);
    const pid = service.pid!;
    await service.stop();
    expect(commandOf(pid)).toBeUndefined();
    expect(states).toEqual(['starting', 'ready', 'stopping', 'stopped']);
    expect(lines).toEqual(['listening']);
    await service.start();
    expect(service.state).toBe('ready');
  });

  it('comes back when it was killed', async () => {
    const { service, states } = create();
    await service.start();
    const pid = service.pid!;
    await service.kill();
    expect(commandOf(pid)).toBeUndefined();
    await until(() => service.state === 'ready');
    expect(service.pid).not.toBe(pid);
    expect(states).toEqual(['starting', 'ready', 'crashed', 'starting', 'ready']);
  });

  it('stays away when it is stopped before it could come back', async () => {
    const { service } = create();
    await service.start();
    await service.kill();
    await service.stop();
    expect(service.state).toBe('stopped');
    await service.start();
    const pid = service.pid;
    // This one begins and ends after the pause that the first kill began.
    await service.kill();
    await until(() => service.state === 'ready');
    expect(service.pid).not.toBe(pid);
    const { processes } = JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8'));
    expect(processes).toMatchObject([{ name: 'stand-in-1', pid: service.pid }]);
  });

  it('is told of as unready, with the reason, when it says so', async () => {
    const { service } = create();
    await service.start();
    await fetch(`${service.url}/spoil`);
    await until(() => service.state === 'unready');
    expect(service.reason).toBe('mood: spoilt');
  });

  it('is given up when it ends before it answers anything', async () => {
    const { service } = create({ CRASH: 'PORT must be a number' });
    await expect(service.start()).rejects.toThrow(
      'stand-in-1 ended with code 1 before it was ready. Its last words:\nPORT must be a number',
    );
    expect(service.state).toBe('stopped');
  });

  it('is killed when it does not stop in time, and that is an error', async () => {
    const { service } = create({ STUBBORN: 'yes' }, { patienceMs: 100 });
    await service.start();
    const pid = service.pid!;
    await expect(service.stop()).rejects.toThrow('stand-in-1 did not stop within 0.1 s and was killed');
    expect(commandOf(pid)).toBeUndefined();
  });

  it('gets its successor first when it is replaced, and ends what it has in hand', async () => {
    const { service, states } = create();
    await service.start();
    const [oldPid, oldUrl] = [service.pid!, service.url];
    const slow = fetch(`${oldUrl}/slow`);
    await service.replace();
    expect(await (await slow).text()).toBe(String(oldPid));
    expect(service.pid).not.toBe(oldPid);
    expect(service.url).not.toBe(oldUrl);
    expect(commandOf(oldPid)).toBeUndefined();
    expect(states).toEqual(['starting', 'ready']);
    await service.kill();
    await until(() => service.state === 'ready');
  });

  it('keeps the old process when the successor does not get ready', async () => {
    const env: Record<string, string> = {};
    const { service } = create({}, { env: (port) => ({ HOST: '127.0.0.1', PORT: String(port), ...env }) });
    await service.start();
    const pid = service.pid;
    env['CRASH'] = 'no such setting';
    await expect(service.replace()).rejects.toThrow('no such setting');
    expect(service).toMatchObject({ pid, state: 'ready' });
  });
});
