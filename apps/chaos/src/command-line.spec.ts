import { readCommandLine, usage } from './command-line';
import { allFaultKinds } from './faults/fault-kinds';

const read = (...args: string[]) => readCommandLine(args, 42);

describe('The command line', () => {
  it('has defaults', () => {
    expect(read()).toEqual({
      ...{ help: false, seed: 42, durationMs: 180_000, composition: 'cluster', replicas: {}, keep: false },
      kinds: allFaultKinds,
    });
  });

  it('takes a seed, a time, replicas and kinds of faults', () => {
    expect(read('--seed', '7', '--seconds', '45', '--replicas', 'operations=3,gateway=1', '--keep')).toMatchObject({
      ...{ seed: 7, durationMs: 45_000, replicas: { operations: 3, gateway: 1 }, keep: true },
    });
    expect(read('--only', 'kill-service,cut-broker', '--only', 'kill-database').kinds).toEqual([
      ...['kill-service', 'cut-broker', 'kill-database'],
    ]);
  });

  it('knows that one process has no broker', () => {
    expect(read('--composition', 'all-in-one').kinds).not.toContain('kill-broker');
    expect(() => read('--composition', 'all-in-one', '--only', 'kill-broker')).toThrow('--only takes kill-service');
  });

  it.each([
    [['--seed', 'x'], '--seed takes a whole number'],
    [['--minutes', '0'], '--minutes takes a whole number from 1'],
    [['--minutes', '1', '--seconds', '1'], 'not both'],
    [['--replicas', 'operations'], '--replicas operations takes a whole number'],
    [['--only', 'earthquake'], 'not earthquake'],
    [['--composition', 'none'], '--composition takes cluster, all-in-one'],
  ])('says what is wrong with %j', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  it('explains every kind of fault', () => {
    for (const kind of allFaultKinds) expect(usage()).toContain(kind);
  });
});
