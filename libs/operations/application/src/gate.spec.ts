import { Gate } from './gate';

describe('Gate', () => {
  it('lets so many in at once, and the others in their order', async () => {
    const gate = new Gate(2);
    const began: number[] = [];
    const end: (() => void)[] = [];
    const tasks = [0, 1, 2, 3].map((task) =>
      gate.run(async () => {
        began.push(task);
        await new Promise<void>((resolve) => (end[task] = resolve));
        return task;
      }),
    );
    expect(began).toEqual([0, 1]);
    end[1]!();
    await tasks[1];
    expect(began).toEqual([0, 1, 2]);
    end[0]!();
    await tasks[0];
    expect(began).toEqual([0, 1, 2, 3]);
    end[2]!();
    end[3]!();
    expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3]);
  });

  it('opens again after a failure', async () => {
    const gate = new Gate(1);
    await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.run(async () => 'yes')).resolves.toBe('yes');
  });
});
