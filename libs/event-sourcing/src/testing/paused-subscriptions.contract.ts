import { randomId } from '@florin/kernel';
import { beforeFirst } from '../ports/event-store.port';
import type { CheckpointStoreMembers } from './checkpoint-store-under-test';

const nothing = async (): Promise<void> => undefined;

/** The part of the contract about pausing subscriptions. */
export function describePausedSubscriptions<Tx>({ underTest, subscription, join }: CheckpointStoreMembers<Tx>): void {
  const paused = (shardCount = 2) => [{ name: subscription(), shardCount }];

  async function movedTo(...positions: readonly bigint[]) {
    const member = await join(positions.length);
    const claims = [...(await member.balance(nothing))].sort((one, other) => one.shard - other.shard);
    for (const [shard, claim] of claims.entries()) await member.advance(claim, positions[shard]!);
    return { member, claims };
  }

  describe('a pause', () => {
    it('shows the checkpoints of all shards, and those of a new subscription', async () => {
      await movedTo(3n, 9_007_199_254_740_993n);
      const other = `${subscription()} new`;
      await underTest().store.whilePaused([...paused(), { name: other, shardCount: 3 }], async (positions) => {
        expect(positions).toEqual([
          [3n, 9_007_199_254_740_993n],
          [beforeFirst, beforeFirst, beforeFirst],
        ]);
        return positions;
      });
      expect((await join(1, undefined, other)).shardCount).toBe(3);
    });

    it('makes members in other processes wait, which then continue with their claims', async () => {
      const { member, claims } = await movedTo(3n, 3n);
      const another = (await underTest().openAnother()).store;
      let step: Promise<void> | undefined;
      await another.whilePaused(paused(), async (positions) => {
        step = member.advance(claims[0]!, 4n, nothing);
        // A step that did not wait would have moved the checkpoint by now.
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(await underTest().store.position(subscription())).toBe(3n);
        return positions;
      });
      await step;
      await member.advance(claims[1]!, 4n);
      expect(await underTest().store.position(subscription())).toBe(4n);
    });

    it('waits for steps in progress', async () => {
      const { member, claims } = await movedTo(3n);
      let finish: () => void = () => undefined;
      let hasBegun: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => (hasBegun = resolve));
      const step = member.advance(claims[0]!, 7n, async () => {
        hasBegun();
        await new Promise<void>((resolve) => (finish = resolve));
      });
      await begun;
      const pause = underTest().store.whilePaused(paused(1), async (positions) => {
        expect(positions).toEqual([[7n]]);
        return positions;
      });
      finish();
      await Promise.all([step, pause]);
    });

    it('moves checkpoints forward together with the work, and members skip what they include', async () => {
      const { member, claims } = await movedTo(3n, 8n);
      const [inPause, skipped, after] = [randomId(), randomId(), randomId()];
      await underTest().store.whilePaused(paused(), async (_, tx) => {
        await underTest().write(tx, inPause);
        return [[5n, 5n]];
      });
      expect(await underTest().store.position(subscription())).toBe(5n);
      await member.advance(claims[0]!, 4n, (tx) => underTest().write(tx, skipped));
      await member.advance(claims[0]!, 9n, (tx) => underTest().write(tx, after));
      expect(await underTest().store.position(subscription())).toBe(8n);
      const written = await underTest().written();
      expect(written).toEqual(expect.arrayContaining([inPause, after]));
      expect(written).not.toContain(skipped);
    });

    it('changes nothing when the work fails', async () => {
      const { member, claims } = await movedTo(7n);
      const text = randomId();
      const failing = underTest().store.whilePaused(paused(1), async (_, tx) => {
        await underTest().write(tx, text);
        throw new Error('the work failed');
      });
      await expect(failing).rejects.toThrow('the work failed');
      expect(await underTest().written()).not.toContain(text);
      expect(await underTest().store.position(subscription())).toBe(7n);
      await member.advance(claims[0]!, 8n);
      expect(await underTest().store.position(subscription())).toBe(8n);
    });
  });
}
