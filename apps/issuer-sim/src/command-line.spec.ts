import { createCommand } from './command-line';

function parse(...args: readonly string[]): object {
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  return createCommand().configureOutput(silent).exitOverride().parse(args, { from: 'user' }).opts();
}

describe('The command line of issuer-sim', () => {
  it('has defaults and help', () => {
    const secret = 'simulated-issuer-secret-0123456789';
    expect(parse()).toEqual({ port: 8_091, secret, florin: 'http://127.0.0.1:3000' });
    expect(() => parse('--help')).toThrow(expect.objectContaining({ exitCode: 0 }));
  });

  it('accepts every option', () => {
    expect(parse(...'--port 1 --secret s --florin http://localhost:1 --journal j'.split(' '))).toEqual({
      port: 1,
      secret: 's',
      florin: 'http://localhost:1',
      journal: 'j',
    });
  });

  it.each([
    [['--port', '65536'], "'65536' is invalid. Use a whole number from 0 to 65535."],
    [['--fast'], "unknown option '--fast'"],
    [['pay'], 'too many arguments'],
  ])('rejects %j', (args, message) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ exitCode: 1 }));
    expect(() => parse(...args)).toThrow(message);
  });
});
