import { processStart } from '@florin/database';
import { until } from '@florin/kernel/testing';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { probeHealth } from './readiness-probe';
import { ProcessRecord } from './process-record';
import type { Program } from './program';
import { ServiceProcess } from './service-process';
import { freePort } from '../network/free-port';
import { newFolder, writeStubService } from '../testing/stub-service';

describe('a service process', () => {
  const folder = newFolder();
  const file = writeStubService(folder);
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
      ...{ name: 'stub-1', service: 'stub', file, probe: probeHealth, stopTimeoutMs: 20_000 },
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

  it('resolves the start when it is ready, reports its output, and stops on request', async () => {
    const { service, states, lines } = create();
    await service.start();
    expect(service).toMatchObject({ name: 'stub-1', service: 'stub', state: 'ready' });
    expect((await fetch(service.url)).status).toBe(200);
    const pid = service.pid!;
    await service.stop();
    expect(processStart(pid)).toBeUndefined();
    expect(states).toEqual(['starting', 'ready', 'stopping', 'stopped']);
    expect(lines).toEqual(['listening']);
    await service.start();
    expect(service.state).toBe('ready');
  });

  it('restarts when it was killed', async () => {
    const { service, states } = create();
    await service.start();
    const pid = service.pid!;
    await service.kill();
    expect(processStart(pid)).toBeUndefined();
    await until(() => service.state === 'ready');
    expect(service.pid).not.toBe(pid);
    expect(states).toEqual(['starting', 'ready', 'crashed', 'starting', 'ready']);
  });

  it('keeps its address over restarts if its program has a port', async () => {
    const port = await freePort();
    const { service, states } = create({}, { port });
    await service.start();
    const first = service.pid;
    await service.kill();
    await until(() => service.pid !== first && states.at(-1) === 'ready');
    expect(service.url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });

  it('restarts when it was killed before it was ready', async () => {
    const { service, lines } = create({ NOT_READY: 'waits for the database' });
    const starting = service.start().catch(() => undefined);
    await until(() => lines.length === 1);
    await service.kill();
    await until(() => lines.length === 2);
    await service.stop();
    await starting;
  });

  it('stays stopped when it is stopped before its restart', async () => {
    const { service } = create();
    await service.start();
    await service.kill();
    await service.stop();
    expect(service.state).toBe('stopped');
    await service.start();
    const pid = service.pid;
    // The delayed restart after the first kill must not start a second process.
    await service.kill();
    await until(() => service.state === 'ready');
    expect(service.pid).not.toBe(pid);
    const { processes } = JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8'));
    expect(processes).toMatchObject([{ name: 'stub-1', pid: service.pid }]);
  });

  it('becomes unready, with the reason, when its readiness check fails', async () => {
    const { service } = create();
    await service.start();
    await fetch(`${service.url}/fail`);
    await until(() => service.state === 'unready');
    expect(service.reason).toBe('sample: set by the test');
  });

  it('is not restarted when it exits by itself before it was ready', async () => {
    const { service } = create({ CRASH: 'PORT must be a number' });
    await expect(service.start()).rejects.toThrow(
      'stub-1 exited with code 1 before it was ready. Its output:\nPORT must be a number',
    );
    expect(service.state).toBe('stopped');
  });

  it('is killed when it does not stop in time, and the stop fails', async () => {
    const { service } = create({ STUBBORN: 'yes' }, { stopTimeoutMs: 100 });
    await service.start();
    const pid = service.pid!;
    await expect(service.stop()).rejects.toThrow('stub-1 did not stop within 0.1 s and was killed');
    expect(processStart(pid)).toBeUndefined();
  });

  it('is replaced only when its successor is ready, and finishes its open requests', async () => {
    const { service, states } = create();
    await service.start();
    const [oldPid, oldUrl] = [service.pid!, service.url];
    const slow = fetch(`${oldUrl}/slow`);
    await service.replace();
    expect(await (await slow).text()).toBe(String(oldPid));
    expect(service.pid).not.toBe(oldPid);
    expect(service.url).not.toBe(oldUrl);
    expect(processStart(oldPid)).toBeUndefined();
    expect(states).toEqual(['starting', 'ready']);
    await service.kill();
    await until(() => service.state === 'ready');
  });

  it('keeps running when its successor does not get ready', async () => {
    const env: Record<string, string> = {};
    const { service } = create({}, { env: (port) => ({ HOST: '127.0.0.1', PORT: String(port), ...env }) });
    await service.start();
    const pid = service.pid;
    env['CRASH'] = 'no such setting';
    await expect(service.replace()).rejects.toThrow('no such setting');
    expect(service).toMatchObject({ pid, state: 'ready' });
  });
});
