import { createCommand, readCommandLine } from './command-line';
import { allFaultKinds, possibleFaults } from './faults/fault-kinds';

function read(...args: string[]) {
  const command = createCommand(42)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return readCommandLine(command.parse(args, { from: 'user' }));
}

describe('The command line', () => {
  it('has defaults', () => {
    expect(read()).toEqual({
      ...{ seed: 42, durationMs: 180_000, composition: 'cluster', eventStore: 'postgres', replicas: {}, keep: false },
      kinds: possibleFaults(true, 'postgres'),
    });
  });

  it('accepts a seed, a duration, replicas and kinds of faults', () => {
    expect(read('--seed', '7', '--seconds', '45', '--replicas', 'operations=3,gateway=1', '--keep')).toMatchObject({
      ...{ seed: 7, durationMs: 45_000, replicas: { operations: 3, gateway: 1 }, keep: true },
    });
    expect(read('--only', 'kill-service,cut-broker', '--only', 'kill-database').kinds).toEqual([
      ...['kill-service', 'cut-broker', 'kill-database'],
    ]);
  });

  it('has no broker faults without a broker', () => {
    expect(read('--composition', 'all-in-one').kinds).not.toContain('kill-broker');
    expect(() => read('--composition', 'all-in-one', '--only', 'kill-broker')).toThrow('kill-broker is not possible');
  });

  it('has the faults of EventStoreDB that its number of nodes allows', () => {
    const one = read('--event-store', 'eventstoredb').kinds;
    const cluster = read('--event-store', 'eventstoredb-cluster').kinds;
    expect(one).toEqual(expect.arrayContaining(['kill-event-store', 'empty-event-store', 'cut-event-store']));
    expect(one).not.toContain('pause-follower-event-store');
    expect(cluster).toEqual(expect.arrayContaining(['kill-event-store', 'pause-follower-event-store']));
    expect(cluster).not.toContain('empty-event-store');
    expect(() => read('--only', 'kill-event-store')).toThrow('with --composition cluster --event-store postgres');
  });

  it.each([
    [['--seed', 'x'], 'Use a whole number'],
    [['--minutes', '0'], 'Use a whole number from 1'],
    [['--minutes', '1', '--seconds', '1'], 'cannot be used with option'],
    [['--replicas', 'operations'], 'Use a whole number from 0 to 16'],
    [['--only', 'earthquake'], 'Choose from kill-service'],
    [['--composition', 'none'], 'Allowed choices are cluster, all-in-one'],
    [['--event-store', 'none'], 'Allowed choices are postgres, eventstoredb, eventstoredb-cluster'],
  ])('rejects %j', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  it('explains every kind of fault', () => {
    let help = '';
    const command = createCommand(42).configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    for (const kind of allFaultKinds) expect(help).toContain(kind);
  });
});
