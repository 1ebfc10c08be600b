import { processStart } from '@florin/database';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killRecordedProcesses, ProcessRecord, stopAbandonedProcesses } from './process-record';
import { newFolder } from '../testing/stub-service';

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

  const recorded = (name: string, { pid }: ChildProcess) => ({ name, pid, startedAt: processStart(pid!) });

  function writeRecord(processes: object[], launcherPid = 1): void {
    writeFileSync(file, JSON.stringify({ launcherPid, processes }));
  }

  it('stops the processes that an earlier cluster has left behind', async () => {
    const [service, broker] = [sleep(), sleep()];
    const ended = Promise.all([once(service, 'exit'), once(broker, 'exit')]);
    writeRecord([recorded('kafka', broker), recorded('ledger-1', service)]);
    const lines: string[] = [];
    const record = await ProcessRecord.open(folder, (line) => lines.push(line));
    expect(lines).toEqual(['Stopping processes that an earlier cluster left behind: kafka, ledger-1']);
    expect((await ended).map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGTERM']);
    record.close();
  });

  it('does not signal another process that has reused the id of a recorded one', async () => {
    const other = sleep();
    writeRecord([{ ...recorded('ledger-1', other), startedAt: '1' }]);
    const record = await ProcessRecord.open(folder, () => undefined);
    expect(processStart(other.pid!)).toBeDefined();
    record.close();
  });

  it('rejects a folder while its launcher runs, whether it is another process or this one', async () => {
    const [launcher, service] = [sleep(), sleep()];
    writeRecord([recorded('ledger-1', service)], launcher.pid);
    writeFileSync(join(folder, 'cluster.pid'), `${launcher.pid} ${processStart(launcher.pid!)}\n`);
    const message = `A cluster is already running as process ${launcher.pid} on the folder ${folder}`;
    await expect(ProcessRecord.open(folder, () => undefined)).rejects.toThrow(message);
    expect(processStart(service.pid!)).toBeDefined();

    rmSync(file);
    rmSync(join(folder, 'cluster.pid'));
    const record = await ProcessRecord.open(folder, () => undefined);
    await expect(ProcessRecord.open(folder, () => undefined)).rejects.toThrow('already running');
    record.close();
  });

  it('lists the running processes, and is deleted when it is closed', async () => {
    const [first, second] = [sleep(), sleep()];
    const record = await ProcessRecord.open(folder, () => undefined);
    record.add('ledger-1', first.pid);
    record.add('ledger-2', second.pid);
    record.remove(first.pid);
    const { launcherPid, processes } = JSON.parse(readFileSync(file, 'utf8'));
    expect(launcherPid).toBe(process.pid);
    expect(processes).toEqual([recorded('ledger-2', second)]);
    record.close();
    expect(existsSync(file)).toBe(false);
  });

  it('kills everything as a last resort, but nothing of another launcher', async () => {
    const [ours, theirs] = [sleep(), sleep()];
    const ended = once(ours, 'exit');
    const record = await ProcessRecord.open(folder, () => undefined);
    record.add('ledger-1', ours.pid);
    killRecordedProcesses(folder);
    expect((await ended)[1]).toBe('SIGKILL');
    record.close();

    writeRecord([recorded('ledger-1', theirs)]);
    killRecordedProcesses(folder);
    expect(processStart(theirs.pid!)).toBeDefined();
  });

  it('stops the processes of one launcher in order, but nothing of its successor', async () => {
    const service = sleep();
    const ended = once(service, 'exit');
    writeRecord([recorded('ledger-1', service)], 4711);
    await stopAbandonedProcesses(folder, 4710);
    expect(processStart(service.pid!)).toBeDefined();
    await stopAbandonedProcesses(folder, 4711);
    expect((await ended)[1]).toBe('SIGTERM');
  });
});
