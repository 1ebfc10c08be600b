import { createCommand } from './command-line';

const read = (...args: string[]) =>
  createCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parse(args, { from: 'user' })
    .opts();

describe('The command line', () => {
  it('reads the port and the journal', () => {
    expect(read('--port', '2113', '--journal', 'log.jsonl')).toEqual({ port: 2113, journal: 'log.jsonl' });
    expect(read('--port=0', '--journal=log.jsonl')).toMatchObject({ port: 0 });
  });

  it.each([
    [[], '--port <number>'],
    [['--port', '2113'], '--journal <file>'],
    [['--port', '65536', '--journal', 'log.jsonl'], 'Use a whole number from 0 to 65535'],
    [['--port', '2113', '--journal', 'log.jsonl', '--fast'], 'unknown option'],
  ])('rejects %j', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });
});
