import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { ChainUnavailable } from '@florin/tron-application';
import { chainContract, type MinedTransfer } from '@florin/tron-application/testing';
import {
  type Fault,
  simulatedAddress,
  simulatedContract,
  type SimTransaction,
  transfer,
  TronSimulator,
} from '@florin/tron-simulator';
import {
  approval,
  failed,
  manyTransfers,
  nestedTransfer,
  reshaped,
  transferFrom,
  trc10,
  trx,
} from '@florin/tron-simulator/testing';
import { TronNodeChain } from './tron-node-chain.adapter';

const us = simulatedAddress('us');
const alsoUs = simulatedAddress('also us');
const stranger = simulatedAddress('stranger');
const blockTime = '2030-01-01T00:00:00.000Z';

const chainAt = (url: string, timeoutMs = 5_000): TronNodeChain =>
  new TronNodeChain({ url, contract: simulatedContract, addresses: [us, alsoUs], timeoutMs });

function transactionOf({ to, amount, kind = 'plain' }: MinedTransfer): SimTransaction {
  const terms = { to: to === 'us' ? us : stranger, amount };
  switch (kind) {
    case 'plain':
      return transfer(terms);
    case 'nested':
      return nestedTransfer(terms);
    case 'failed':
      return failed(transfer(terms));
    case 'otherToken':
      return transfer({ ...terms, contract: simulatedAddress('another token') });
    case 'approval':
      return approval(terms);
    case 'nothingButTrx':
      return trx(terms);
  }
}

chainContract('A TRON node', async () => {
  const simulator = await TronSimulator.start({ firstBlock: 7_000, solidifyAfter: 3, blockTime });
  const chain = chainAt(simulator.url);
  return {
    chain,
    address: us,
    mine: async (...transfers) => {
      const block = simulator.mine(...transfers.map(transactionOf));
      simulator.solidify();
      return block;
    },
    mineUnsolidified: async (...transfers) => simulator.mine(...transfers.map(transactionOf)),
    fail: async (times) => simulator.fault({ kind: 'status', status: 503, times }),
    close: async () => {
      await chain.close();
      await simulator.stop();
    },
  };
});

describe('TronNodeChain', () => {
  let simulator: TronSimulator;
  let chain: TronNodeChain;

  beforeEach(async () => {
    simulator = await TronSimulator.start({ firstBlock: 7_000, blockTime });
    chain = chainAt(simulator.url);
  });
  afterEach(async () => {
    await chain.close();
    await simulator.stop();
  });

  const found = async (...transactions: SimTransaction[]): Promise<string[]> => {
    const { number } = simulator.mine(...transactions);
    const { transfers } = await chain.readBlock(number);
    return transfers.map(({ logIndex, to, amount }) => `${logIndex} ${to === us ? 'us' : to} ${amount}`);
  };

  it('requests solidified blocks only and reuses its connections', async () => {
    const { number } = simulator.mine(transfer({ to: us, amount: 1n }));
    await chain.solidHead();
    for (let times = 0; times < 20; times++) await chain.readBlock(number);
    expect(simulator.requests).toHaveLength(41);
    expect(simulator.requests.every(({ solid }) => solid)).toBe(true);
    expect(simulator.connections).toBeLessThanOrEqual(8);
  });

  it('finds transfers at any log index and from any caller', async () => {
    const terms = { to: us, amount: 9n };
    expect(await found(nestedTransfer(terms), transferFrom(terms), transfer(terms))).toEqual([
      '1 us 0.000009',
      '0 us 0.000009',
      '0 us 0.000009',
    ]);
    const several = [terms, { to: stranger, amount: 1n }, terms, { to: alsoUs, amount: 2n }];
    expect(await found(manyTransfers(several))).toEqual(['0 us 0.000009', '2 us 0.000009', `3 ${alsoUs} 0.000002`]);
  });

  it('returns the sender', async () => {
    const from = simulatedAddress('a customer');
    const { number } = simulator.mine(transfer({ to: us, amount: 1n, from }));
    expect((await chain.readBlock(number)).transfers).toMatchObject([{ from, to: us }]);
  });

  it('skips transactions that are not token transfers', async () => {
    expect(await found(trx({ to: us, amount: 5n }), trc10({ to: us, amount: 5n }))).toEqual([]);
  });

  it.each(['everywhere', 'block', 'info'] as const)('skips a transaction reported as failed (%s)', async (where) => {
    const terms = { to: us, amount: 5n };
    const outcomes = ['REVERT', 'OUT_OF_ENERGY'] as const;
    expect(await found(...outcomes.map((outcome) => failed(transfer(terms), outcome, where)))).toEqual([]);
  });

  const mineThree = (): number => simulator.mine(...[1n, 2n, 3n].map((amount) => transfer({ to: us, amount }))).number;

  const refusal = async (reading: Promise<unknown>): Promise<ChainUnavailable> => {
    const error: unknown = await reading.then(
      () => 'no error',
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ChainUnavailable);
    return error as ChainUnavailable;
  };

  it.each<[Fault, RegExp]>([
    [{ kind: 'status', status: 500 }, /HTTP 500/],
    [{ kind: 'drop' }, /failed \(ECONNRESET\)/],
    [{ kind: 'malformed' }, /not JSON/],
    [{ kind: 'missing', method: 'getblockbynum' }, /does not have block 7001 yet/],
    [{ kind: 'missing', method: 'gettransactioninfobyblocknum' }, /0 transaction infos for the 3 transactions/],
    [{ kind: 'incomplete' }, /2 transaction infos for the 3 transactions/],
    [{ kind: 'wrongBlock', method: 'getblockbynum' }, /block 7000 instead of block 7001/],
    [{ kind: 'wrongBlock', method: 'gettransactioninfobyblocknum' }, /0 transaction infos for the 3 transactions/],
    [{ kind: 'oversized', bytes: 65 * 1024 * 1024 }, /EXCEEDED_MAX_SIZE/],
  ])('rejects a block after fault %p and reads it on retry', async (fault, message) => {
    const number = mineThree();
    simulator.fault(fault);
    expect((await refusal(chain.readBlock(number))).message).toMatch(message);
    expect((await chain.readBlock(number)).transfers).toHaveLength(3);
  });

  it('rejects a block with the infos of another block', async () => {
    mineThree();
    const number = mineThree();
    simulator.fault({ kind: 'wrongBlock', method: 'gettransactioninfobyblocknum' });
    expect((await refusal(chain.readBlock(number))).message).toMatch(/no info for a transaction in block 7002/);
  });

  it('times out after the configured time', async () => {
    const hurried = chainAt(simulator.url, 50);
    simulator.fault({ kind: 'hang', times: 'always' });
    expect((await refusal(hurried.solidHead())).message).toContain('timed out after 50 ms');
    await hurried.close();
  });

  it('aborts requests when it is closed', async () => {
    await chain.solidHead();
    simulator.fault({ kind: 'hang', times: 'always' });
    const before = simulator.requestCount;
    const reading = refusal(chain.solidHead());
    while (simulator.requestCount === before) await new Promise((resolve) => setImmediate(resolve));
    await chain.close();
    await reading;
  });

  it('returns the Retry-After of a busy node', async () => {
    simulator.fault({ kind: 'status', status: 429, retryAfterSeconds: 17 });
    expect((await refusal(chain.solidHead())).retryAfterMs).toBe(17_000);
    simulator.fault({ kind: 'status', status: 503 });
    expect((await refusal(chain.solidHead())).retryAfterMs).toBeUndefined();
  });

  it('reports ECONNREFUSED when the node is down', async () => {
    await simulator.stop();
    expect((await refusal(chain.solidHead())).message).toContain('ECONNREFUSED');
    simulator = await TronSimulator.start();
  });

  const cut = (transaction: SimTransaction, change: object): SimTransaction =>
    reshaped(transaction, (log) => ({ ...log, ...change }));
  const ours = transfer({ to: us, amount: 5n });
  const topics = ours.logs[0]!.topics;

  it.each<[string, SimTransaction]>([
    ['no amount', cut(ours, { data: '' })],
    ['an amount of odd length', cut(ours, { data: '05' })],
    ['two topics', cut(ours, { topics: topics.slice(0, 2) })],
    ['four topics', cut(ours, { topics: [...topics, topics[1]!] })],
    ['a recipient in capitals', cut(ours, { topics: [topics[0]!, topics[1]!, topics[2]!.toUpperCase()] })],
    ['a contract in capitals', cut(ours, { address: ours.logs[0]!.address.toUpperCase() })],
  ])('rejects a block with a transfer that has %s', async (_, transaction) => {
    const { number } = simulator.mine(transaction);
    await refusal(chain.readBlock(number));
  });

  it.each(['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', '', 'not an address'])('rejects the address %p', (address) => {
    const options = { url: simulator.url, contract: simulatedContract, addresses: [us] };
    expect(() => new TronNodeChain({ ...options, addresses: [us, address] })).toThrow(
      /^TRON_ADDRESSES contains no valid TRON/,
    );
    expect(() => new TronNodeChain({ ...options, contract: address })).toThrow(
      /^TRON_USDT_CONTRACT contains no valid TRON/,
    );
  });

  it.each(['', 'node.example', 'ftp://node.example', 'https://user:hush@node.example', 'https://x/?key=hush'])(
    'rejects the node URL %p without repeating it',
    (url) => {
      expect(() => chainAt(url)).toThrow(/^TRON_NODE_URL is invalid. Use an http or https URL without/);
    },
  );
});

describe('TronNodeChain on other responses', () => {
  let server: Server;
  let body: string;
  let headers: NodeJS.Dict<string | string[]>;
  let path: string | undefined;
  const head = { number: 5, parentHash: `${'4'.padStart(16, '0')}${'a'.repeat(48)}`, timestamp: 1_900_000_000_000 };
  const blockID = `${'5'.padStart(16, '0')}${'b'.repeat(48)}`;

  beforeAll(async () => {
    server = createServer((request, response) => {
      headers = request.headers;
      path = request.url;
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const nodeUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chainWith = (apiKey?: string, suffix = ''): TronNodeChain =>
    new TronNodeChain({ url: nodeUrl() + suffix, contract: simulatedContract, addresses: [us], apiKey });

  it('calls the node below any path and sends the API key', async () => {
    body = JSON.stringify({ blockID, block_header: { raw_data: head } });
    for (const suffix of ['', '/', '/jsonapi', '/jsonapi/']) {
      const chain = chainWith('a key', suffix);
      expect(await chain.solidHead()).toEqual({ number: 5, id: blockID, time: '2030-03-17T17:46:40.000Z' });
      expect(headers['tron-pro-api-key']).toBe('a key');
      expect(path).toBe(`${suffix.replace(/\/$/, '')}/walletsolidity/getnowblock`);
      await chain.close();
    }
  });

  it.each([
    '',
    'null',
    '[]',
    '"text"',
    '{"Error":"class org.tron.core.exception : busy"}',
    JSON.stringify({ blockID }),
    JSON.stringify({ blockID, block_header: { raw_data: { ...head, number: 6 } } }),
    JSON.stringify({ blockID, block_header: { raw_data: { ...head, number: '5' } } }),
    JSON.stringify({ blockID, block_header: { raw_data: { ...head, timestamp: undefined } } }),
    JSON.stringify({ blockID, block_header: { raw_data: { ...head, timestamp: 9e15 } } }),
    JSON.stringify({ blockID, block_header: { raw_data: { ...head, parentHash: 'none' } } }),
    JSON.stringify({ blockID: 'none', block_header: { raw_data: head } }),
  ])('rejects %s as a head', async (text) => {
    body = text;
    const chain = chainWith();
    await expect(chain.solidHead()).rejects.toThrow(ChainUnavailable);
    await expect(chain.readBlock(5)).rejects.toThrow(ChainUnavailable);
    await chain.close();
  });
});
