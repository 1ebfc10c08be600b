import { readCommandLine } from './command-line';

const defaults = { port: 8090, autoMineSeconds: 3, solidifyAfter: 2, firstBlock: 1, addresses: 2 };

describe('the command line of tron-sim', () => {
  it('has defaults, and help', () => {
    expect(readCommandLine([])).toEqual(defaults);
    expect(readCommandLine(['--port', '0', '--help'])).toBeUndefined();
  });

  it('takes every option', () => {
    const args = '--port 1 --auto-mine 0 --solidify-after 19 --first-block 99990 --addresses 5'.split(' ');
    const expected = { port: 1, autoMineSeconds: 0, solidifyAfter: 19, firstBlock: 99_990, addresses: 5 };
    expect(readCommandLine(args)).toEqual(expected);
  });

  it.each([
    [['--port', '65536'], '--port must be a whole number from 0 to 65535, not "65536".'],
    [['--auto-mine', 'often'], '--auto-mine must be a whole number'],
    [['--addresses', ''], '--addresses must be a whole number'],
    [['--fast'], "Unknown option '--fast'"],
    [['mine'], "Unexpected argument 'mine'"],
  ])('refuses %j', (args, message) => {
    expect(() => readCommandLine(args)).toThrow(message);
  });
});
