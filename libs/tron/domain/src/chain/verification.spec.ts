import type { BlockRange, TokenTransfer } from './chain.messages';
import { compareBlocks, type ReadBlock } from './verification';

const timeOf = (number: number): string => new Date(Date.UTC(2030, 0, 1, 0, 0, number)).toISOString();

const transfer = (blockNumber: number, logIndex = 0, change: Partial<TokenTransfer> = {}): TokenTransfer => {
  const names = { transactionId: `t${blockNumber}`, from: 'Tfrom', to: 'Tto', amount: '100.000001' as const };
  return { ...names, logIndex, blockNumber, blockTime: timeOf(blockNumber), ...change };
};

const block = (number: number, ...transfers: TokenTransfer[]): ReadBlock => {
  return { number, id: `id ${number}`, time: timeOf(number), transfers };
};

const range = (fromBlock: number, toBlock: number, ...transfers: TokenTransfer[]): BlockRange => {
  const end = { toBlockId: `id ${toBlock}`, toBlockTime: timeOf(toBlock) };
  return { fromBlock, toBlock, parentId: `id ${fromBlock - 1}`, ...end, transfers };
};

const chain = [block(10), block(11, transfer(11), transfer(11, 1)), block(12)];
const place = { blockNumber: 11, transactionId: 't11' };

describe('The comparison of recorded blocks with the chain', () => {
  it('finds no difference when they are equal, in any ranges', () => {
    expect(compareBlocks(chain, [range(9, 10), range(11, 13, transfer(11), transfer(11, 1))])).toEqual([]);
    expect(compareBlocks([], [])).toEqual([]);
  });

  it('ignores recorded transfers of other blocks', () => {
    expect(compareBlocks([block(10)], [range(9, 11, transfer(9), transfer(11))])).toEqual([]);
  });

  it('finds a transfer that was not recorded', () => {
    expect(compareBlocks(chain, [range(10, 12, transfer(11))])).toEqual([
      { kind: 'missing', ...place, logIndex: 1, onChain: expect.stringContaining('100.000001 USDT from Tfrom') },
    ]);
  });

  it('finds a recorded transfer that is not on the chain', () => {
    const recorded = [range(10, 12, transfer(11), transfer(11, 1), transfer(11, 2, { amount: '777777.000000' }))];
    expect(compareBlocks(chain, recorded)).toEqual([
      { kind: 'extra', ...place, logIndex: 2, recorded: expect.stringContaining('777777.000000') },
    ]);
  });

  it.each([{ amount: '200.000001' }, { to: 'Tother' }, { from: 'Tother' }, { blockTime: timeOf(1) }] as const)(
    'finds a transfer that was recorded with %j',
    (change) => {
      const recorded = [range(10, 12, transfer(11, 0, change), transfer(11, 1))];
      expect(compareBlocks(chain, recorded)).toMatchObject([{ kind: 'changed', ...place, logIndex: 0 }]);
    },
  );

  it('finds a recorded block that is not the one on the chain', () => {
    const recorded = [{ ...range(10, 12, transfer(11), transfer(11, 1)), toBlockId: 'another' }];
    expect(compareBlocks(chain, recorded)).toMatchObject([{ kind: 'other_block', blockNumber: 12 }]);
  });
});
