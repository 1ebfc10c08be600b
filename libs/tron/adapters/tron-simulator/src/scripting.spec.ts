import { simulatedAddress, transfer, TronSimulator, tronSimulatorClient, type TronScripting } from './index';

const ours = simulatedAddress('ours');
const startTime = '2026-01-01T00:00:00.000Z';

/** A script has the same effect in process and over HTTP. */
describe.each(['in process', 'over HTTP'])('a script, %s', (where) => {
  let simulator: TronSimulator;
  let script: TronScripting;

  beforeEach(async () => {
    simulator = await TronSimulator.start({ blockTime: startTime, solidifyAfter: 2 });
    script = where === 'in process' ? simulator : tronSimulatorClient(simulator.url);
  });
  afterEach(() => simulator.stop());

  const ask = (method: string, num?: number, view = 'walletsolidity'): Promise<Response> =>
    fetch(`${simulator.url}/${view}/${method}`, { method: 'POST', body: JSON.stringify({ num }) });
  const numberOf = async (response: Promise<Response>): Promise<number | undefined> =>
    ((await (await response).json()) as { block_header?: { raw_data: { number: number } } }).block_header?.raw_data
      .number;

  it('makes blocks final after later blocks or on request', async () => {
    await script.mineEmpty(3);
    expect(await numberOf(ask('getnowblock'))).toBe(2);
    expect(await numberOf(ask('getnowblock', undefined, 'wallet'))).toBe(4);
    expect(await numberOf(ask('getblockbynum', 3))).toBeUndefined();
    expect(await numberOf(ask('getblockbynum', 3, 'wallet'))).toBe(3);
    await script.solidify(1);
    expect((await script.state()).solidHead.number).toBe(3);
    await script.solidify();
    expect((await script.state()).solidHead.number).toBe(4);
  });

  it('replaces blocks that are not final and keeps reused transactions', async () => {
    const paid = await script.pay({ to: ours, amount: '5.000000' });
    await script.mineEmpty(1);
    const before = await script.state();
    await script.fork({ depth: 2, blocks: [[], paid.transactions, []] });
    const { head } = await script.state();
    expect(head).toMatchObject({ number: before.head.number + 1, time: '2026-01-01T00:00:09.000Z' });
    const block = (await (await ask('getblockbynum', 3, 'wallet')).json()) as {
      blockID: string;
      transactions: { txID: string }[];
    };
    expect(block.transactions.map(({ txID }) => txID)).toEqual([paid.transactions[0]?.id]);
    expect(block.blockID).not.toBe(before.head.id);
  });

  it('replaces final blocks only with evenFinal', async () => {
    await script.mineEmpty(4);
    await expect((async () => script.fork({ depth: 3 }))()).rejects.toThrow('include final ones');
    await expect((async () => script.fork({ depth: 9 }))()).rejects.toThrow('Only 4 blocks can be replaced');
    const { solidHead } = await script.state();
    await script.fork({ depth: 3, evenFinal: true });
    const after = await script.state();
    expect(after.solidHead.number).toBe(solidHead.number);
    expect(after.solidHead.id).not.toBe(solidHead.id);
  });

  it('accepts later block times only', async () => {
    await script.setTime('2026-02-01T00:00:00.000Z');
    expect((await script.mine()).time).toBe('2026-02-01T00:00:00.000Z');
    expect((await script.mine()).time).toBe('2026-02-01T00:00:03.000Z');
    await expect((async () => script.setTime(startTime))()).rejects.toThrow('Use a later time');
    await expect((async () => script.setTime('soon'))()).rejects.toThrow('is not a time');
  });

  it('fills blocks and lists the requests', async () => {
    await script.fill(3, { transfersPerBlock: 2 });
    await ask('gettransactioninfobyblocknum', 2);
    const state = await script.state();
    expect(state).toMatchObject({ head: { number: 4 }, firstBlock: 1, requestCount: 1 });
    expect(state.requests).toEqual([{ method: 'gettransactioninfobyblocknum', solid: true, block: 2 }]);
    expect(state.connections).toBeGreaterThanOrEqual(1);
  });

  it('returns scripted errors as often as scripted and for the scripted requests', async () => {
    await script.fault({ kind: 'status', status: 429, retryAfterSeconds: 7, times: 2, method: 'getnowblock' });
    expect((await ask('getblockbynum', 1)).status).toBe(200);
    const refused = await ask('getnowblock');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await ask('getnowblock')).status).toBe(429);
    expect((await ask('getnowblock')).status).toBe(200);
    await script.fault({ kind: 'status', status: 503, times: 'always', block: 1 });
    expect((await ask('getblockbynum', 1)).status).toBe(503);
    await script.heal();
    expect((await ask('getblockbynum', 1)).status).toBe(200);
  });

  it('resets connections and hangs', async () => {
    await script.fault({ kind: 'drop' });
    await expect(ask('getnowblock')).rejects.toThrow('fetch failed');
    await script.fault({ kind: 'hang' });
    const asked = fetch(`${simulator.url}/walletsolidity/getnowblock`, { signal: AbortSignal.timeout(50) });
    await expect(asked).rejects.toThrow('aborted due to timeout');
  });

  it('returns wrong, truncated and missing responses', async () => {
    await script.mine(transfer({ to: ours, amount: 1n }), transfer({ to: ours, amount: 2n }));
    await script.solidify();
    const infos = async (): Promise<unknown[]> => (await (await ask('gettransactioninfobyblocknum', 2)).json()) as [];
    await script.fault({ kind: 'incomplete' });
    await script.fault({ kind: 'missing' });
    expect([(await infos()).length, (await infos()).length, (await infos()).length]).toEqual([1, 0, 2]);
    await script.fault({ kind: 'wrongBlock' });
    expect(await numberOf(ask('getnowblock'))).toBe(2);
    expect(await numberOf(ask('getblockbynum', 2))).toBe(1);
    await script.fault({ kind: 'malformed' });
    const whole = await (await ask('getblockbynum', 1)).text();
    expect(() => JSON.parse(whole) as unknown).toThrow(SyntaxError);
    await script.fault({ kind: 'oversized', bytes: 1_000_000 });
    expect((await (await ask('getblockbynum', 1)).text()).length).toBeGreaterThan(1_000_000);
    await script.fault({ kind: 'delay', ms: 1 });
    expect(await numberOf(ask('getblockbynum', 1))).toBe(1);
  });

  it('lags by the scripted number of blocks', async () => {
    await script.mineEmpty(5);
    await script.lagBehind(2);
    expect(await numberOf(ask('getnowblock'))).toBe(2);
    expect(await numberOf(ask('getblockbynum', 3))).toBeUndefined();
    await script.lagBehind(100);
    expect(await numberOf(ask('getnowblock'))).toBe(1);
  });

  it('throttles requests', async () => {
    await script.throttle(1);
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask('getnowblock')).status));
    expect(statuses).toContain(429);
  });
});

describe('TronSimulator', () => {
  it('uses the real time and unique transaction ids when no block time is set', async () => {
    const [one, other] = [await TronSimulator.start(), await TronSimulator.start()];
    try {
      const before = new Date().toISOString();
      const [first, second] = [one.pay({ to: ours, amount: 1n }), one.pay({ to: ours, amount: 1n })];
      expect(first.time >= before).toBe(true);
      expect(second.time > first.time).toBe(true);
      const paid = [first, second, other.pay({ to: ours, amount: 1n })];
      expect(new Set(paid.map(({ transactions }) => transactions[0]?.id)).size).toBe(3);
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });

  it('accepts payments over HTTP and lists its commands for an unknown path', async () => {
    const simulator = await TronSimulator.start();
    const post = (path: string, body: string): Promise<Response> =>
      fetch(`${simulator.url}${path}`, { method: 'POST', body });
    try {
      const paid = await post('/sim/pay', JSON.stringify({ to: ours, amount: '100.003127' }));
      expect(await paid.json()).toMatchObject({ number: 2 });
      const wrong = await post('/sim/pay', JSON.stringify({ to: 'nobody', amount: '1.000000' }));
      expect([wrong.status, await wrong.json()]).toMatchObject([
        400,
        { message: expect.stringContaining('not a TRON') },
      ]);
      const unknown = await post('/sim/dance', '');
      expect([unknown.status, await unknown.json()]).toMatchObject([
        404,
        { message: expect.stringContaining('/sim/pay') },
      ]);
      expect((await post('/wallet/getnowblock', 'no JSON')).status).toBe(400);
    } finally {
      await simulator.stop();
    }
  });
});
