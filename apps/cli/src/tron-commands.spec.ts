import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const verify = (...args: readonly string[]) =>
  runCommand(['tron', 'verify', '--from', '10', '--to', '30', ...args, '--url', server.url, '--token', 'secret']);

const extra = { kind: 'extra', blockNumber: 12, transactionId: 'ab12', logIndex: 0, recorded: '777777.000000 USDT' };
const failure = { statusCode: 503, code: 'unavailable', message: 'The TRON node did not respond', requestId: 'r1' };

describe('tron verify', () => {
  it('continues after the last verified block', async () => {
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [] });
    server.respondOnceWith(200, { fromBlock: 20, toBlock: 30, transfers: 2, differences: [] });
    const { exitCode, out } = await verify();
    expect(server.takeRequests().map(({ body }) => body)).toEqual([
      { fromBlock: 10, toBlock: 30 },
      { fromBlock: 20, toBlock: 30 },
    ]);
    expect([exitCode, out]).toEqual([0, 'Blocks 10 to 30 are recorded as they are on the chain, with 3 transfers.\n']);
  });

  it('prints the differences it has found when a later request fails, and exits with 1', async () => {
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [extra] });
    server.respondOnceWith(503, failure);
    const { exitCode, out } = await verify();
    expect(exitCode).toBe(1);
    expect(out).toMatch(/extra +12 +ab12 +777777.000000 USDT/);
    expect(out).toContain('1 differences in blocks 10 to 19.');
    expect(out).toMatch(/\nStopped at block 20: .*The TRON node did not respond/);
  });

  it('exits with 1 when a later request fails, also without differences', async () => {
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [] });
    server.respondOnceWith(503, failure);
    const { exitCode, out } = await verify('--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ...{ fromBlock: 10, toBlock: 19, transfers: 1, differences: [] },
      stopped: { block: 20, reason: expect.stringContaining('The TRON node did not respond') },
    });
  });

  it('fails when no block could be verified', async () => {
    server.respondOnceWith(503, failure);
    const { exitCode, out, err } = await verify();
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toContain('The TRON node did not respond');
  });
});
