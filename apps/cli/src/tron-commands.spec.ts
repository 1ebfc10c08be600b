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
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [], unverified: [] });
    server.respondOnceWith(200, { fromBlock: 20, toBlock: 30, transfers: 2, differences: [], unverified: [] });
    const { exitCode, out } = await verify();
    expect(server.takeRequests().map(({ body }) => body)).toEqual([
      { fromBlock: 10, toBlock: 30 },
      { fromBlock: 20, toBlock: 30 },
    ]);
    expect([exitCode, out]).toEqual([0, 'Blocks 10 to 30 are recorded as they are on the chain, with 3 transfers.\n']);
  });

  it('prints a difference once that several requests name', async () => {
    for (const toBlock of [19, 30]) {
      server.respondOnceWith(200, { fromBlock: 10, toBlock, transfers: 0, differences: [extra], unverified: [] });
    }
    expect((await verify()).out).toContain('1 differences in blocks 10 to 30.');
  });

  it('prints the differences it has found when a later request fails, and exits with 1', async () => {
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [extra], unverified: [] });
    server.respondOnceWith(503, failure);
    const { exitCode, out } = await verify();
    expect(exitCode).toBe(1);
    expect(out).toMatch(/extra +12 +ab12 +777777.000000 USDT/);
    expect(out).toContain('1 differences in blocks 10 to 19.');
    expect(out).toMatch(/\nStopped at block 20: .*The TRON node did not respond/);
  });

  it('exits with 1 when a later request fails, also without differences', async () => {
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [], unverified: [] });
    server.respondOnceWith(503, failure);
    const { exitCode, out } = await verify('--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ...{ fromBlock: 10, toBlock: 19, transfers: 1, differences: [], unverified: [] },
      stopped: { block: 20, reason: expect.stringContaining('The TRON node did not respond') },
    });
  });

  it('names what was not verified, with the sum over all requests', async () => {
    const old = { address: 'TRemoved', reason: 'not_watched_now' };
    const unverified = [
      { ...old, transfers: 2 },
      { address: 'Tnew', reason: 'not_watched_then', transfers: 1 },
      { address: 'Tnew', reason: 'unknown_then', transfers: 3 },
    ];
    server.respondOnceWith(200, { fromBlock: 10, toBlock: 19, transfers: 1, differences: [], unverified });
    const more = [{ ...old, transfers: 5 }];
    server.respondOnceWith(200, { fromBlock: 20, toBlock: 30, transfers: 0, differences: [], unverified: more });
    const { exitCode, out } = await verify();
    expect(exitCode).toBe(0);
    expect(out).toContain(
      'Not verified: TRON_ADDRESSES does not contain TRemoved (7 recorded transfers). Add it to verify them.\n',
    );
    expect(out).toContain(
      'TRON_ADDRESSES did not contain Tnew when the blocks were recorded (1 transfers on the chain)',
    );
    expect(out).toContain('If TRON_ADDRESSES contained Tnew then, 3 transfers on the chain are missing.');
  });

  it('fails when no block could be verified', async () => {
    server.respondOnceWith(503, failure);
    const { exitCode, out, err } = await verify();
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toContain('The TRON node did not respond');
  });
});
