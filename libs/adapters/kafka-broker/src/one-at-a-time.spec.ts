import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { oneAtATime } from './one-at-a-time';

describe('work that is done one at a time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-one-at-a-time-'));
  const mark = join(folder, 'mark');

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('waits until the other has finished, be it by a failure', async () => {
    const story: string[] = [];
    const first = oneAtATime(mark, async () => {
      story.push('first begins');
      await setImmediate();
      story.push('first fails');
      throw new Error('out of luck');
    });
    const second = oneAtATime(mark, async () => story.push('second'));
    await expect(first).rejects.toThrow('out of luck');
    await second;
    expect(story).toEqual(['first begins', 'first fails', 'second']);
    expect(existsSync(mark)).toBe(false);
  });

  it('takes over from a process that was killed', async () => {
    writeFileSync(mark, '');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(mark, longAgo, longAgo);
    expect(await oneAtATime(mark, async () => 'done')).toBe('done');
  });
});
