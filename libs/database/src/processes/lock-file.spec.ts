import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { acquireLock, AlreadyLocked, withLock } from './lock-file';
import { processStart } from './process-identity';

describe('a lock file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-lock-'));
  const path = join(folder, 'lock');

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('waits until the previous holder has finished, even when its work failed', async () => {
    const steps: string[] = [];
    const first = withLock(path, async () => {
      steps.push('first begins');
      await setImmediate();
      steps.push('first fails');
      throw new Error('out of luck');
    });
    const second = withLock(path, async () => steps.push('second'));
    await expect(first).rejects.toThrow('out of luck');
    await second;
    expect(steps).toEqual(['first begins', 'first fails', 'second']);
    expect(existsSync(path)).toBe(false);
  });

  it('rejects a second holder and names the first one', () => {
    const lock = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(new AlreadyLocked(path, process.pid));
    lock.release();
    acquireLock(path).release();
  });

  it('is taken over at once from a process that was killed', async () => {
    const holder = spawn('sleep', ['600'], { stdio: 'ignore' });
    writeFileSync(path, `${holder.pid} ${processStart(holder.pid!)}\n`);
    expect(() => acquireLock(path)).toThrow(AlreadyLocked);
    const exited = once(holder, 'exit');
    holder.kill('SIGKILL');
    await exited;
    acquireLock(path).release();
  });

  it('is taken over when its process id now belongs to another process', () => {
    writeFileSync(path, `${process.pid} 1\n`);
    acquireLock(path).release();
  });

  it('is not taken over from a suspended process', async () => {
    const holder = spawn('sleep', ['600'], { stdio: 'ignore' });
    writeFileSync(path, `${holder.pid} ${processStart(holder.pid!)}\n`);
    holder.kill('SIGSTOP');
    expect(() => acquireLock(path)).toThrow(AlreadyLocked);
    const exited = once(holder, 'exit');
    holder.kill('SIGKILL');
    await exited;
    rmSync(path);
  });
});
