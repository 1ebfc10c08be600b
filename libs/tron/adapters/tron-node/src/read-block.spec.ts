import type { NodeBlock, NodeLog, NodeTransactionInfo } from './node-responses';
import { readBlock } from './read-block';
import { accountOf, addressOf } from './tron-address';

const us = addressOf('11'.repeat(20));
const contract = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const watched = { contract, addresses: new Map([[accountOf(us), us]]) };
const word = (hex: string): string => hex.padStart(64, '0');

const transferTo = (amount: string): NodeLog => ({
  address: contract,
  topics: [
    'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    word('22'.repeat(20)),
    word(accountOf(us)),
  ],
  data: word(amount),
});

const info = (id: string, log?: NodeLog[]): NodeTransactionInfo => ({
  id: word(id),
  blockNumber: 5,
  receipt: { result: 'SUCCESS' },
  log,
});

const blockOf = (...ids: string[]): NodeBlock => ({
  blockID: `${'5'.padStart(16, '0')}${'b'.repeat(48)}`,
  block_header: {
    raw_data: { number: 5, parentHash: `${'4'.padStart(16, '0')}${'a'.repeat(48)}`, timestamp: 1_900_000_000_000 },
  },
  transactions: ids.map((id) => ({ txID: word(id), ret: [{ contractRet: 'SUCCESS' }] })),
});

const read = (block: NodeBlock, ...infos: NodeTransactionInfo[]): string[] =>
  readBlock(5, block, infos, watched).transfers.map(({ transactionId, amount }) => `${transactionId.at(-1)} ${amount}`);

describe('readBlock', () => {
  it('returns transfers in the order of the block when the infos come in another order', () => {
    const [a, b, c] = [info('a', [transferTo('1')]), info('b'), info('c', [transferTo('3')])];
    for (const infos of [
      [a, b, c],
      [c, b, a],
      [b, c, a],
    ]) {
      expect(read(blockOf('a', 'b', 'c'), ...infos)).toEqual(['a 0.000001', 'c 0.000003']);
    }
  });

  it.each<[string, NodeBlock, NodeTransactionInfo[]]>([
    ['an info is missing', blockOf('a', 'b'), [info('a')]],
    ['there is one info too many', blockOf('a'), [info('a'), info('b')]],
    ['an info belongs to another transaction', blockOf('a', 'b'), [info('a'), info('c')]],
    ['an info appears twice', blockOf('a', 'b'), [info('a'), info('a')]],
    ['a transaction appears twice', blockOf('a', 'a'), [info('a'), info('b')]],
    ['an info belongs to another block', blockOf('a'), [{ ...info('a'), blockNumber: 4 }]],
    ['an info belongs to no block', blockOf('a'), [{ ...info('a'), blockNumber: undefined }]],
  ])('rejects the block when %s', (_, block, infos) => {
    expect(() => read(block, ...infos)).toThrow(/retrying/);
  });

  it('skips a transaction that either response reports as failed', () => {
    const transfer = [transferTo('1')];
    expect(read(blockOf('a'), { ...info('a', transfer), result: 'FAILED' })).toEqual([]);
    expect(read(blockOf('a'), { ...info('a', transfer), receipt: {} })).toEqual([]);
    expect(read({ ...blockOf(), transactions: [{ txID: word('a') }] }, info('a', transfer))).toEqual([]);
  });

  it('skips logs without topics', () => {
    expect(read(blockOf('a'), info('a', [{ address: contract }, transferTo('1')]))).toEqual(['a 0.000001']);
  });
});
