import { BadCommandLine, readCommandLine } from './command-line';

const read = (args: string, env: Record<string, string> = {}, isTerminal = false) =>
  readCommandLine(args === '' ? [] : args.split(' '), env, isTerminal);

function problemsOf(args: string, env: Record<string, string> = {}): readonly string[] {
  try {
    read(args, env);
  } catch (error) {
    if (error instanceof BadCommandLine) return error.problems;
    throw error;
  }
  return [];
}

describe('the command line of the cluster', () => {
  it('has defaults', () => {
    const expected = { dataDirectory: '.florin/cluster', port: 3000, replicas: {}, eventStore: 'postgres', env: {} };
    expect(read('')).toMatchObject(expected);
  });

  it('accepts every option, with or without an equals sign', () => {
    const expected = {
      ...{ dataDirectory: '/data', port: 0, eventStore: 'eventstoredb' },
      replicas: { operations: 2, ledger: 3, invoicing: 0 },
    };
    const args = '--data /data --port=0 --event-store eventstoredb --replicas operations=2,ledger=3,invoicing=0';
    expect(read(args)).toMatchObject(expected);
  });

  it('reads the environment, gives options precedence, and passes all variables on', () => {
    const env = { PORT: '4000', FLORIN_DATA_DIR: '/var/florin', EVENT_STORE: 'eventstoredb', LOG_LEVEL: 'debug' };
    expect(read('', env)).toMatchObject({
      ...{ port: 4000, dataDirectory: '/var/florin', eventStore: 'eventstoredb', env },
    });
    expect(read('--port 5000 --event-store postgres', env)).toMatchObject({ port: 5000, eventStore: 'postgres' });
    expect(read('LOG_LEVEL=warn ISSUER_URL=http://x/?a=b', env).env).toEqual({ ...env, ISSUER_URL: 'http://x/?a=b' });
  });

  it('treats an empty variable as unset', () => {
    expect(read('', { PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, env: {} });
  });

  it('reports all problems at once', () => {
    const args = '--fast --replicas opertions=2,ledger=x --port 70000 --event-store mongo --logs chat run';
    expect(problemsOf(args, { COMMAND_BUS: 'in-process' })).toEqual([
      '--fast is not an option: use --replicas, --event-store, --port, --data, --logs or --help',
      'run is neither an option nor NAME=value: use --replicas, --event-store, --port, --data, --logs or --help',
      '--port must be a whole number from 0 to 65535, not "70000"',
      '--event-store must be postgres or eventstoredb, not "mongo"',
      expect.stringContaining('--replicas must name services of gateway, ledger, '),
      '--replicas ledger= must be a whole number from 0 to 16, not "x"',
      expect.stringMatching(/^--logs must be all, none, warn, or names of .*, not "chat"$/),
      'COMMAND_BUS must be kafka or unset, not "in-process": services communicate over Kafka',
    ]);
  });

  it.each([
    ['--port', '--port needs a value, such as --port 3000'],
    ['--replicas --port 1', '--replicas needs a value, such as --replicas operations=2,ledger=2'],
    ['--replicas gateway=0', 'The API needs a gateway: gateway must be 1 or more.'],
    ['--replicas tron-watcher=1', 'tron-watcher needs a TRON node: set TRON_NODE_URL.'],
  ])('rejects %s', (args, problem) => {
    expect(problemsOf(args)).toEqual([problem]);
  });

  it('names the variable, not the option, when the variable is wrong', () => {
    expect(problemsOf('', { PORT: 'http', DATABASE_URL: 'sqlite://x' })).toEqual([
      'PORT must be a whole number from 0 to 65535, not "http"',
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
    ]);
  });

  it('shows warnings on a terminal and everything elsewhere by default', () => {
    const shown = (args: string, isTerminal: boolean) => read(args, {}, isTerminal).logs.shows('ledger-1', 'info');
    expect([shown('', true), shown('', false), shown('--logs ledger', true), shown('--logs none', false)]).toEqual([
      ...[false, true, true, false],
    ]);
  });
});
