import { CommandTurns } from './command-turns';

const acme = { companyId: 'c0ffee00-0000-4000-8000-000000000001', environment: 'sandbox' } as const;
const other = { companyId: 'c0ffee00-0000-4000-8000-000000000002', environment: 'sandbox' } as const;

/** Commands that are in progress until they are ended. */
class Progress {
  private readonly ends: (() => void)[] = [];

  get count(): number {
    return this.ends.length;
  }

  readonly execute = (): Promise<void> => new Promise((resolve) => this.ends.push(resolve));

  endAll(): void {
    for (const end of this.ends.splice(0)) end();
  }
}

const turnsFor = (live: number, sandbox = live) => new CommandTurns({ rateLimits: { live, sandbox } });

describe('CommandTurns', () => {
  it('lets a tenth of the rate be in progress, for each company and environment', async () => {
    const turns = turnsFor(100, 50);
    const progress = new Progress();
    const commands = Array.from({ length: 50 }, () => turns.run(acme, progress.execute));
    expect(progress.count).toBe(5);
    commands.push(turns.run(other, progress.execute));
    expect(progress.count).toBe(6);
    for (let each = 0; each < 20; each++) commands.push(turns.run({ ...acme, environment: 'live' }, progress.execute));
    expect(progress.count).toBe(16);
    const all = Promise.all(commands);
    let isDone = false;
    void all.then(() => (isDone = true));
    while (!isDone) {
      progress.endAll();
      await new Promise(setImmediate);
    }
  });

  it('rejects commands for which there is no place to wait', async () => {
    const turns = turnsFor(1);
    const progress = new Progress();
    const accepted = Array.from({ length: 4 }, () => turns.run(acme, progress.execute));
    const rejected = turns.run(acme, progress.execute);
    await expect(rejected).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': '1' },
      message: expect.stringContaining('send fewer at the same time'),
    });
    progress.endAll();
    await new Promise(setImmediate);
    progress.endAll();
    await Promise.all(accepted);
  });

  it('does not limit anything without a rate limit, and passes errors on', async () => {
    const turns = turnsFor(0);
    const progress = new Progress();
    const commands = Array.from({ length: 1_000 }, () => turns.run(acme, progress.execute));
    expect(progress.count).toBe(1_000);
    progress.endAll();
    await Promise.all(commands);
    const limited = turnsFor(50);
    await expect(limited.run(acme, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
