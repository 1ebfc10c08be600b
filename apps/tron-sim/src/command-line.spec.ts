import { createCommand } from './command-line';

const defaults = { port: 8090, autoMine: 3, solidifyAfter: 2, firstBlock: 1, addresses: 2 };

function parse(...args: readonly string[]): object {
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  return createCommand().configureOutput(silent).exitOverride().parse(args, { from: 'user' }).opts();
}

describe('The command line of tron-sim', () => {
  it('has defaults and help', () => {
    expect(parse()).toEqual(defaults);
    expect(() => parse('--port', '0', '--help')).toThrow(expect.objectContaining({ exitCode: 0 }));
  });

  it('accepts every option', () => {
    const args = '--port 1 --auto-mine 0 --solidify-after 19 --first-block 99990 --addresses 5'.split(' ');
    const expected = { port: 1, autoMine: 0, solidifyAfter: 19, firstBlock: 99_990, addresses: 5 };
    expect(parse(...args)).toEqual(expected);
  });

  it.each([
    [['--port', '65536'], "'65536' is invalid. Use a whole number from 0 to 65535."],
    [['--auto-mine', 'often'], "'often' is invalid. Use a whole number"],
    [['--addresses', ''], "'' is invalid. Use a whole number"],
    [['--fast'], "unknown option '--fast'"],
    [['mine'], 'too many arguments'],
  ])('rejects %j', (args, message) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ exitCode: 1 }));
    expect(() => parse(...args)).toThrow(message);
  });
});
