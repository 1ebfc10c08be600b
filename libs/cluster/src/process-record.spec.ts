import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abandonProcesses, endAbandoned, ProcessRecord } from './process-record';
import { commandOf } from './running-process';
import { newFolder } from './testing/stand-in-service';

describe('the record of processes', () => {
  const sleeps: ChildProcess[] = [];
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'processes.json');
  });

  afterEach(() => {
    for (const child of sleeps.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function sleep(): ChildProcess {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    sleeps.push(child);
    return child;
  }

  const recorded = (name: string, { pid }: ChildProcess) => ({ name, pid, command: commandOf(pid!) });

  function writeRecord(
    processes: object[],
    launcher: object = { name: 'launcher', pid: 1, command: 'long gone' },
  ): void {
    writeFileSync(file, JSON.stringify({ launcher, processes }));
  }

  it('ends what an earlier cluster has left behind', async () => {
    const [service, broker] = [sleep(), sleep()];
    const ended = Promise.all([once(service, 'exit'), once(broker, 'exit')]);
    writeRecord([recorded('kafka', broker), recorded('ledger-1', service)]);
    const told: string[] = [];
    const record = await ProcessRecord.open(folder, (line) => told.push(line));
    expect(told).toEqual(['Ending what an earlier cluster left behind: kafka, ledger-1']);
    expect((await ended).map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGTERM']);
    record.close();
  });

  it('leaves a stranger alone who has got the id of a process that is gone', async () => {
    const stranger = sleep();
    writeRecord([{ ...recorded('ledger-1', stranger), command: 'node apps/ledger/dist/main.js' }]);
    const record = await ProcessRecord.open(folder, () => undefined);
    expect(commandOf(stranger.pid!)).toBe('sleep 600');
    record.close();
  });

  it('refuses a folder whose launcher lives, be it another process or this one', async () => {
    const [launcher, service] = [sleep(), sleep()];
    writeRecord([recorded('ledger-1', service)], recorded('launcher', launcher));
    const refusal = `A cluster is already running as process ${launcher.pid} on the folder ${folder}`;
    await expect(ProcessRecord.open(folder, () => undefined)).rejects.toThrow(refusal);
    expect(commandOf(service.pid!)).toBe('sleep 600');

    rmSync(file);
    const record = await ProcessRecord.open(folder, () => undefined);
    await expect(ProcessRecord.open(folder, () => undefined)).rejects.toThrow('already running');
    record.close();
  });

  it('names what runs, and is gone when nothing does', async () => {
    const [first, second] = [sleep(), sleep()];
    const record = await ProcessRecord.open(folder, () => undefined);
    record.add('ledger-1', first.pid);
    record.add('ledger-2', second.pid);
    record.remove(first.pid);
    const { launcher, processes } = JSON.parse(readFileSync(file, 'utf8'));
    expect(launcher.pid).toBe(process.pid);
    expect(processes).toEqual([recorded('ledger-2', second)]);
    record.close();
    expect(existsSync(file)).toBe(false);
  });

  it('ends everything at once as a last resort, but nothing of another launcher', async () => {
    const [ours, theirs] = [sleep(), sleep()];
    const ended = once(ours, 'exit');
    const record = await ProcessRecord.open(folder, () => undefined);
    record.add('ledger-1', ours.pid);
    abandonProcesses(folder);
    expect((await ended)[1]).toBe('SIGKILL');
    record.close();

    writeRecord([recorded('ledger-1', theirs)]);
    abandonProcesses(folder);
    expect(commandOf(theirs.pid!)).toBe('sleep 600');
  });

  it('ends in order what one launcher has left, but nothing of its successor', async () => {
    const service = sleep();
    const ended = once(service, 'exit');
    writeRecord([recorded('ledger-1', service)], { name: 'launcher', pid: 4711, command: 'node main.js' });
    await endAbandoned(folder, 4710);
    expect(commandOf(service.pid!)).toBe('sleep 600');
    await endAbandoned(folder, 4711);
    expect((await ended)[1]).toBe('SIGTERM');
  });
});
