import type { TokenTransfer } from './chain.messages';
import { compareBlocks as compare, firstMissingBlock, type ReadBlock, type RecordedRange } from './verification';

const timeOf = (number: number): string => new Date(Date.UTC(2030, 0, 1, 0, 0, number)).toISOString();

const transfer = (blockNumber: number, logIndex = 0, change: Partial<TokenTransfer> = {}): TokenTransfer => {
  const names = { transactionId: `t${blockNumber}`, from: 'Tfrom', to: 'Tto', amount: '100.000001' as const };
  return { ...names, logIndex, blockNumber, blockTime: timeOf(blockNumber), ...change };
};

const block = (number: number, ...transfers: TokenTransfer[]): ReadBlock => {
  return { number, id: `id ${number}`, time: timeOf(number), transfers };
};

const range = (fromBlock: number, toBlock: number, ...transfers: TokenTransfer[]): RecordedRange => {
  const end = { toBlockId: `id ${toBlock}`, toBlockTime: timeOf(toBlock) };
  return { fromBlock, toBlock, parentId: `id ${fromBlock - 1}`, ...end, transfers, addresses: ['Tto'] };
};

const chain = [block(10), block(11, transfer(11), transfer(11, 1)), block(12)];
const place = { blockNumber: 11, transactionId: 't11' };

const compareBlocks = (blocks: readonly ReadBlock[], recorded: readonly RecordedRange[]) =>
  compare(blocks, recorded, ['Tto']).differences;

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

  it('finds a transfer that is recorded twice, also in another range and with another amount', () => {
    const again = transfer(11, 0, { amount: '777777.000000' });
    const inOneRange = [range(10, 12, transfer(11), transfer(11, 1), again)];
    const duplicate = { kind: 'duplicate', ...place, logIndex: 0, recorded: expect.stringContaining('777777.000000') };
    expect(compareBlocks(chain, inOneRange)).toEqual([duplicate]);
    const inTwoRanges = [range(10, 11, transfer(11), transfer(11, 1)), range(12, 12, again)];
    expect(compareBlocks(chain, inTwoRanges)).toEqual([duplicate]);
  });

  it('finds blocks that are recorded twice, and what only one of the ranges contains', () => {
    const forged = range(11, 11, transfer(11, 2, { amount: '777777.000000' }));
    expect(compareBlocks(chain, [range(10, 12, transfer(11), transfer(11, 1)), forged])).toEqual([
      { kind: 'duplicate', blockNumber: 11, recorded: 'blocks 11 to 11 more than once' },
      { kind: 'extra', ...place, logIndex: 2, recorded: expect.stringContaining('777777.000000') },
    ]);
  });

  it('finds a transfer that is recorded in a range without its block', () => {
    expect(compareBlocks(chain, [range(10, 12, transfer(11), transfer(11, 1), transfer(5))])).toMatchObject([
      { kind: 'extra', blockNumber: 5, transactionId: 't5' },
    ]);
  });

  it('finds a recorded block that is not the one on the chain', () => {
    const recorded = [{ ...range(10, 12, transfer(11), transfer(11, 1)), toBlockId: 'another' }];
    expect(compareBlocks(chain, recorded)).toMatchObject([{ kind: 'other_block', blockNumber: 12 }]);
  });
});

describe('The comparison after the addresses have changed', () => {
  const recordedFor = (addresses: readonly string[] | undefined, ...transfers: TokenTransfer[]) => [
    { ...range(10, 12, ...transfers), addresses },
  ];
  const toNew = [block(10), block(11, transfer(11, 0, { to: 'Tnew' })), block(12)];
  const empty = [block(10), block(11), block(12)];
  const toOld = transfer(11, 0, { to: 'TRemoved' });

  it('does not report a recorded transfer to an address that was removed later', () => {
    expect(compare(empty, recordedFor(['TRemoved', 'Tto'], toOld), ['Tto'])).toEqual({
      differences: [],
      unverified: [{ address: 'TRemoved', reason: 'not_watched_now', transfers: 1 }],
    });
    expect(compare(empty, recordedFor(undefined, toOld), ['Tto'])).toEqual({
      differences: [],
      unverified: [{ address: 'TRemoved', reason: 'not_watched_now', transfers: 1 }],
    });
  });

  it('names an address that was removed later also without a recorded transfer', () => {
    const unverified = [{ address: 'TRemoved', reason: 'not_watched_now', transfers: 0 }];
    expect(compare(empty, recordedFor(['TRemoved', 'Tto']), ['Tto'])).toEqual({ differences: [], unverified });
  });

  it('reports a recorded transfer to an address that was not watched', () => {
    expect(compare(empty, recordedFor(['Tto'], toOld), ['Tto']).differences).toMatchObject([{ kind: 'extra' }]);
  });

  it('does not report a transfer on the chain to an address that was added later', () => {
    const unverified = [{ address: 'Tnew', reason: 'not_watched_then', transfers: 1 }];
    expect(compare(toNew, recordedFor(['Tto']), ['Tnew', 'Tto'])).toEqual({ differences: [], unverified });
  });

  it('does not report a transfer on the chain if the watched addresses were not recorded', () => {
    const unverified = [{ address: 'Tnew', reason: 'unknown_then', transfers: 1 }];
    expect(compare(toNew, recordedFor(undefined), ['Tnew', 'Tto'])).toEqual({ differences: [], unverified });
  });

  it('reports a transfer that is missing among recorded ones to the same address', () => {
    const recorded = recordedFor(undefined, transfer(12, 5, { to: 'Tnew' }));
    const blocks = [...toNew.slice(0, 2), block(12, transfer(12, 5, { to: 'Tnew' }))];
    expect(compare(blocks, recorded, ['Tnew'])).toMatchObject({ differences: [{ kind: 'missing' }], unverified: [] });
  });
});

describe('The first block that is not recorded', () => {
  it('is undefined if all are recorded, also by overlapping ranges', () => {
    expect(firstMissingBlock([range(9, 10), range(11, 13)], 10, 12)).toBeUndefined();
    expect(firstMissingBlock([range(9, 13), range(11, 11)], 10, 12)).toBeUndefined();
    expect(firstMissingBlock([range(12, 13), range(9, 11)], 10, 12)).toBeUndefined();
  });

  it('is in the gap, even if an overlap has the same length', () => {
    expect(firstMissingBlock([range(10, 10), range(10, 10), range(12, 12)], 10, 12)).toBe(11);
    expect(firstMissingBlock([range(11, 12)], 10, 12)).toBe(10);
    expect(firstMissingBlock([range(9, 11)], 10, 12)).toBe(12);
    expect(firstMissingBlock([], 10, 12)).toBe(10);
  });
});
