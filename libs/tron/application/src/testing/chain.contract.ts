import type { TokenTransfer } from '@florin/tron-domain';
import { type Block, type Chain, ChainUnavailable } from '../chain.port';

/** What a transaction in the chain under test does; the amount is in millionths of the token. */
export interface MinedTransfer {
  readonly to: 'us' | 'somebody';
  readonly amount: bigint;
  readonly kind?: 'plain' | 'nested' | 'failed' | 'otherToken' | 'approval' | 'nothingButTrx';
}

export interface ChainUnderTest {
  readonly chain: Chain;
  /** Our address, as people write it. */
  readonly address: string;
  /** Mines the next block with these and makes it solid. */
  mine(...transfers: readonly MinedTransfer[]): Promise<{ readonly number: number }>;
  /** Mines the next block, which is not solid yet. */
  mineUnsolidified(...transfers: readonly MinedTransfer[]): Promise<{ readonly number: number }>;
  /** Makes the next so many answers unusable. */
  fail(answers: number): Promise<void>;
  close(): Promise<void>;
}

/** What every way to a chain promises. */
export function chainContract(name: string, makeChain: () => Promise<ChainUnderTest>): void {
  describe(`${name} keeps the contract of a chain`, () => {
    let underTest: ChainUnderTest;

    beforeEach(async () => {
      underTest = await makeChain();
    });
    afterEach(() => underTest.close());

    const mineAndRead = async (...transfers: MinedTransfer[]): Promise<Block> => {
      const { number } = await underTest.mine(...transfers);
      return underTest.chain.readBlock(number);
    };
    const amounts = (transfers: readonly TokenTransfer[]): string[] => transfers.map(({ amount }) => amount);

    it('shows the newest solid block as its head', async () => {
      const { number } = await underTest.mine();
      const { id, time } = await underTest.chain.readBlock(number);
      await underTest.mineUnsolidified({ to: 'us', amount: 1n });
      expect(await underTest.chain.solidHead()).toEqual({ number, id, time });
    });

    it('links every block with the one before it, in number, id and time', async () => {
      const first = await mineAndRead();
      const second = await mineAndRead({ to: 'us', amount: 5n });
      expect([second.number, second.parentId]).toEqual([first.number + 1, first.id]);
      expect(first.id).toMatch(/^[0-9a-f]{64}$/);
      expect(new Date(second.time).toISOString()).toBe(second.time);
      expect(second.time > first.time).toBe(true);
    });

    it('says the same about the same block', async () => {
      const block = await mineAndRead({ to: 'us', amount: 5n });
      expect(await underTest.chain.readBlock(block.number)).toEqual(block);
    });

    it('tells everything about a transfer to us', async () => {
      const { number, time, transfers } = await mineAndRead({ to: 'us', amount: 100_003_127n });
      expect(transfers).toEqual([
        {
          transactionId: expect.stringMatching(/^[0-9a-f]{64}$/),
          logIndex: 0,
          from: expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
          to: underTest.address,
          amount: '100.003127',
          blockNumber: number,
          blockTime: time,
        },
      ]);
    });

    it('gives all transfers to us in the order of the chain, and those of a call within a call', async () => {
      const { transfers } = await mineAndRead(
        { to: 'us', amount: 3n },
        { to: 'somebody', amount: 4n },
        { to: 'us', amount: 1n, kind: 'nested' },
        { to: 'us', amount: 2n },
      );
      expect(amounts(transfers)).toEqual(['0.000003', '0.000001', '0.000002']);
      expect(new Set(transfers.map(({ transactionId }) => transactionId)).size).toBe(3);
    });

    it('keeps amounts of any size to the last digit', async () => {
      const { transfers } = await mineAndRead({ to: 'us', amount: 123_456_789_012_345_678_901_234_567n });
      expect(amounts(transfers)).toEqual(['123456789012345678901.234567']);
    });

    it.each<[string, MinedTransfer]>([
      ['a transfer to somebody else', { to: 'somebody', amount: 5n }],
      ['a transaction that failed', { to: 'us', amount: 5n, kind: 'failed' }],
      ['another token', { to: 'us', amount: 5n, kind: 'otherToken' }],
      ['a permission', { to: 'us', amount: 5n, kind: 'approval' }],
      ['TRX', { to: 'us', amount: 5n, kind: 'nothingButTrx' }],
      ['a transfer of nothing', { to: 'us', amount: 0n }],
    ])('passes over %s', async (_, mined) => {
      const { transfers } = await mineAndRead(mined, { to: 'us', amount: 7n });
      expect(amounts(transfers)).toEqual(['0.000007']);
    });

    it('reads blocks at the same time without mixing them up', async () => {
      const numbers: number[] = [];
      for (let amount = 1n; amount <= 12n; amount++) numbers.push((await underTest.mine({ to: 'us', amount })).number);
      const blocks = await Promise.all(numbers.map((number) => underTest.chain.readBlock(number)));
      expect(blocks.map(({ number }) => number)).toEqual(numbers);
      expect(blocks.map(({ transfers }) => amounts(transfers))).toEqual(
        numbers.map((_, index) => [`0.${`${index + 1}`.padStart(6, '0')}`]),
      );
    });

    it('does not give a block that is not solid yet', async () => {
      const { number } = await underTest.mineUnsolidified({ to: 'us', amount: 5n });
      await expect(underTest.chain.readBlock(number)).rejects.toThrow(ChainUnavailable);
    });

    it('rejects rather than guessing when it gets no usable answer, and recovers', async () => {
      const { number } = await underTest.mine({ to: 'us', amount: 5n });
      await underTest.fail(1);
      await expect(underTest.chain.solidHead()).rejects.toThrow(ChainUnavailable);
      await underTest.fail(2);
      await expect(underTest.chain.readBlock(number)).rejects.toThrow(ChainUnavailable);
      expect(amounts((await underTest.chain.readBlock(number)).transfers)).toEqual(['0.000005']);
    });
  });
}
