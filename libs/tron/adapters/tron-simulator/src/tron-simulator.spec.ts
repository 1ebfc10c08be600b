import { TronWeb } from 'tronweb';
import { simulatedAddress, simulatedContract, transfer, transferTopic, TronSimulator } from './index';
import { approval, failed, manyTransfers, nestedTransfer, reshaped, transferFrom, trc10, trx } from './testing';

interface NodeBlock {
  readonly blockID: string;
  readonly block_header: { readonly raw_data: { readonly number: number; parentHash: string; timestamp: number } };
  readonly transactions?: readonly {
    readonly txID: string;
    readonly ret: readonly { readonly contractRet: string }[];
    readonly raw_data: { readonly contract: readonly { readonly type: string }[] };
  }[];
}

interface NodeInfo {
  readonly id: string;
  readonly blockNumber: number;
  readonly blockTimeStamp: number;
  readonly result?: string;
  readonly receipt: { readonly result?: string };
  readonly log?: readonly { readonly address: string; readonly topics: readonly string[]; readonly data?: string }[];
}

const ours = simulatedAddress('ours');
const startTime = '2026-01-01T00:00:00.000Z';

describe('the simulated node, read by tronweb', () => {
  let simulator: TronSimulator;
  let tronWeb: TronWeb;

  beforeEach(async () => {
    simulator = await TronSimulator.start({ blockTime: startTime, firstBlock: 60_000_000 });
    tronWeb = new TronWeb({ fullHost: simulator.url });
  });
  afterEach(() => simulator.stop());

  const ask = <Answer>(method: string, payload: object = {}, view = 'walletsolidity'): Promise<Answer> =>
    tronWeb.solidityNode.request(`${view}/${method}`, payload, 'post');
  const blockOf = (num: number) => ask<NodeBlock>('getblockbynum', { num });
  const infosOf = (num: number) => ask<NodeInfo[]>('gettransactioninfobyblocknum', { num });

  it('chains blocks by ids that begin with their numbers, three seconds apart', async () => {
    const mined = simulator.mine();
    const head = await ask<NodeBlock>('getnowblock');
    expect(head).toEqual(await blockOf(60_000_001));
    expect(head.blockID).toBe(mined.id);
    expect(BigInt(`0x${head.blockID.slice(0, 16)}`)).toBe(60_000_001n);
    expect(head.block_header.raw_data).toMatchObject({ number: 60_000_001, timestamp: Date.parse(startTime) + 3_000 });
    expect(head.block_header.raw_data.parentHash).toBe((await blockOf(60_000_000)).blockID);
    expect(head).not.toHaveProperty('transactions');
    expect(await infosOf(60_000_001)).toEqual([]);
  });

  it('returns empty responses for unknown blocks', async () => {
    expect(await blockOf(59_999_999)).toEqual({});
    expect(await blockOf(60_000_001)).toEqual({});
    expect(await infosOf(60_000_001)).toEqual([]);
  });

  it('writes addresses that tronweb reads, and the other way round', async () => {
    expect(TronWeb.isAddress(ours)).toBe(true);
    const { number } = simulator.pay({ to: ours, amount: '100.003127' });
    const [info] = await infosOf(number);
    const [log] = info?.log ?? [];
    expect(tronWeb.address.fromHex(`41${log?.address}`)).toBe(simulatedContract);
    expect(log?.topics[0]).toBe(transferTopic);
    expect(tronWeb.address.fromHex(`41${log?.topics[2]?.slice(24)}`)).toBe(ours);
    expect(BigInt(`0x${log?.data}`)).toBe(100_003_127n);
    expect(() => transfer({ to: `${ours.slice(0, -1)}1`, amount: 1n })).toThrow('is not a TRON address');
    expect(() => transfer({ to: 'T0', amount: 1n })).toThrow('is not a TRON address');
  });

  it('lists the same transactions in a block and in its infos', async () => {
    const terms = { to: ours, amount: '1.000000' };
    const block = simulator.mine(
      transfer(terms),
      transferFrom(terms),
      nestedTransfer(terms),
      manyTransfers([terms, terms]),
      approval(terms),
      trx(terms),
      trc10(terms),
      failed(transfer(terms)),
      reshaped(transfer(terms), (log) => ({ ...log, data: '' })),
    );
    const transactions = (await blockOf(block.number)).transactions ?? [];
    const infos = await infosOf(block.number);
    const ids = block.transactions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(9);
    expect(transactions.map(({ txID }) => txID)).toEqual(ids);
    expect(infos.map(({ id }) => id)).toEqual(ids);
    expect(infos.every(({ blockNumber }) => blockNumber === block.number)).toBe(true);
    expect(infos.map(({ log }) => log?.length)).toEqual([1, 1, 3, 2, 1, undefined, undefined, 1, 1]);
    expect(transactions.map(({ ret }) => ret[0]?.contractRet)).toEqual([
      ...Array(7).fill('SUCCESS'),
      'REVERT',
      'SUCCESS',
    ]);
    expect(infos.map(({ receipt }) => receipt.result).slice(4, 8)).toEqual(['SUCCESS', undefined, undefined, 'REVERT']);
    expect(infos[7]).toMatchObject({ result: 'FAILED', receipt: { result: 'REVERT' } });
    expect(infos[8]?.log?.[0]).not.toHaveProperty('data');
  });

  it('can contradict itself about failed transactions', async () => {
    const { number } = simulator.mine(
      failed(transfer({ to: ours, amount: 1n }), 'OUT_OF_ENERGY', 'info'),
      failed(transfer({ to: ours, amount: 1n }), 'OUT_OF_ENERGY', 'block'),
    );
    const inBlock = (await blockOf(number)).transactions?.map(({ ret }) => ret[0]?.contractRet);
    const inInfos = (await infosOf(number)).map(({ receipt }) => receipt.result);
    expect([inBlock, inInfos]).toEqual([
      ['SUCCESS', 'OUT_OF_ENERGY'],
      ['OUT_OF_ENERGY', 'SUCCESS'],
    ]);
  });

  it('keeps amounts beyond 64 bits', async () => {
    const { number } = simulator.pay({ to: ours, amount: 2n ** 200n + 1n });
    expect(BigInt(`0x${(await infosOf(number))[0]?.log?.[0]?.data}`)).toBe(2n ** 200n + 1n);
  });

  it('fills thousands of blocks quickly, each with unique transactions', async () => {
    simulator.fill(10_000, { transfersPerBlock: 200, recipients: [simulatedAddress('stranger'), ours] });
    const [first, last] = await Promise.all([blockOf(60_000_001), blockOf(60_010_000)]);
    const infos = await infosOf(60_010_000);
    expect(last.block_header.raw_data).toMatchObject({
      number: 60_010_000,
      timestamp: Date.parse(startTime) + 30_000_000,
      parentHash: (await blockOf(60_009_999)).blockID,
    });
    expect(infos.map(({ id }) => id)).toEqual(last.transactions?.map(({ txID }) => txID));
    expect(infos.every(({ blockNumber }) => blockNumber === 60_010_000)).toBe(true);
    expect(infos[0]?.blockTimeStamp).toBe(last.block_header.raw_data.timestamp);
    expect(tronWeb.address.fromHex(`41${infos[1]?.log?.[0]?.topics[2]?.slice(24)}`)).toBe(ours);
    const ids = [first, last].flatMap(({ transactions = [] }) => transactions.map(({ txID }) => txID));
    expect(new Set(ids).size).toBe(400);
    expect(ids.every((id) => /^[0-9a-f]{64}$/.test(id))).toBe(true);
  });
});
