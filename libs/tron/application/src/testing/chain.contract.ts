import type { TokenTransfer } from '@florin/tron-domain';
import { type Block, type Chain, ChainUnavailable } from '../chain.port';

/** A transaction of the chain under test; the amount is in millionths of the token. */
export interface MinedTransfer {
  readonly to: 'us' | 'stranger';
  readonly amount: bigint;
  readonly kind?: 'plain' | 'nested' | 'failed' | 'otherToken' | 'approval' | 'nothingButTrx';
}

export interface ChainUnderTest {
  readonly chain: Chain;
  /** The watched address. */
  readonly address: string;
  /** Mines a block with these transfers and solidifies it. */
  mine(...transfers: readonly MinedTransfer[]): Promise<{ readonly number: number }>;
  /** Mines a block without solidifying it. */
  mineUnsolidified(...transfers: readonly MinedTransfer[]): Promise<{ readonly number: number }>;
  /** Makes the next `count` responses unusable. */
  fail(count: number): Promise<void>;
  close(): Promise<void>;
}

/** The contract of every `Chain` adapter. */
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

    it('returns the watched addresses in a fixed order', () => {
      const { addresses } = underTest.chain;
      expect(addresses).toContain(underTest.address);
      expect(addresses).toEqual(addresses.toSorted());
    });

    it('returns the newest solidified block as the head', async () => {
      const { number } = await underTest.mine();
      const { id, time } = await underTest.chain.readBlock(number);
      await underTest.mineUnsolidified({ to: 'us', amount: 1n });
      expect(await underTest.chain.solidHead()).toEqual({ number, id, time });
    });

    it('links every block to its parent by number, id and time', async () => {
      const first = await mineAndRead();
      const second = await mineAndRead({ to: 'us', amount: 5n });
      expect([second.number, second.parentId]).toEqual([first.number + 1, first.id]);
      expect(first.id).toMatch(/^[0-9a-f]{64}$/);
      expect(new Date(second.time).toISOString()).toBe(second.time);
      expect(second.time > first.time).toBe(true);
    });

    it('returns the same block again', async () => {
      const block = await mineAndRead({ to: 'us', amount: 5n });
      expect(await underTest.chain.readBlock(block.number)).toEqual(block);
    });

    it('returns all fields of a transfer to a watched address', async () => {
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

    it('returns transfers in the order of the chain, including nested calls', async () => {
      const { transfers } = await mineAndRead(
        { to: 'us', amount: 3n },
        { to: 'stranger', amount: 4n },
        { to: 'us', amount: 1n, kind: 'nested' },
        { to: 'us', amount: 2n },
      );
      expect(amounts(transfers)).toEqual(['0.000003', '0.000001', '0.000002']);
      expect(new Set(transfers.map(({ transactionId }) => transactionId)).size).toBe(3);
    });

    it('keeps large amounts exact', async () => {
      const { transfers } = await mineAndRead({ to: 'us', amount: 123_456_789_012_345_678_901_234_567n });
      expect(amounts(transfers)).toEqual(['123456789012345678901.234567']);
    });

    it.each<[string, MinedTransfer]>([
      ['a transfer to another address', { to: 'stranger', amount: 5n }],
      ['a transaction that failed', { to: 'us', amount: 5n, kind: 'failed' }],
      ['another token', { to: 'us', amount: 5n, kind: 'otherToken' }],
      ['an approval', { to: 'us', amount: 5n, kind: 'approval' }],
      ['TRX', { to: 'us', amount: 5n, kind: 'nothingButTrx' }],
      ['a transfer of zero', { to: 'us', amount: 0n }],
    ])('skips %s', async (_, mined) => {
      const { transfers } = await mineAndRead(mined, { to: 'us', amount: 7n });
      expect(amounts(transfers)).toEqual(['0.000007']);
    });

    it('reads blocks concurrently', async () => {
      const numbers: number[] = [];
      for (let amount = 1n; amount <= 12n; amount++) numbers.push((await underTest.mine({ to: 'us', amount })).number);
      const blocks = await Promise.all(numbers.map((number) => underTest.chain.readBlock(number)));
      expect(blocks.map(({ number }) => number)).toEqual(numbers);
      expect(blocks.map(({ transfers }) => amounts(transfers))).toEqual(
        numbers.map((_, index) => [`0.${`${index + 1}`.padStart(6, '0')}`]),
      );
    });

    it('rejects a block that is not solidified yet', async () => {
      const { number } = await underTest.mineUnsolidified({ to: 'us', amount: 5n });
      await expect(underTest.chain.readBlock(number)).rejects.toThrow(ChainUnavailable);
    });

    it('rejects on an unusable response and recovers', async () => {
      const { number } = await underTest.mine({ to: 'us', amount: 5n });
      await underTest.fail(1);
      await expect(underTest.chain.solidHead()).rejects.toThrow(ChainUnavailable);
      await underTest.fail(2);
      await expect(underTest.chain.readBlock(number)).rejects.toThrow(ChainUnavailable);
      expect(amounts((await underTest.chain.readBlock(number)).transfers)).toEqual(['0.000005']);
    });
  });
}
