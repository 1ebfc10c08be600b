import { readCommandLine } from './command-line';

describe('the command line of the test server', () => {
  it('takes a port and a journal, or asks for help', () => {
    const args = ['--port', '2113', '--journal', 'log.jsonl'];
    expect(readCommandLine(args)).toEqual({ port: 2113, journal: 'log.jsonl' });
    expect(readCommandLine([...args, '--help'])).toBeUndefined();
  });

  it.each([
    [['--port', '2113'], '--port and --journal are both needed'],
    [['--journal', 'log.jsonl'], '--port and --journal are both needed'],
    [['--port', '2113', '--journal', ''], '--port and --journal are both needed'],
    [['--port', '65536', '--journal', 'x'], '--port must be a whole number from 0 to 65535, not "65536".'],
    [['--port', 'any', '--journal', 'x'], '--port must be a whole number'],
    [['--cluster'], "Unknown option '--cluster'"],
  ])('refuses %j', (args, message) => {
    expect(() => readCommandLine(args)).toThrow(message);
  });
});
