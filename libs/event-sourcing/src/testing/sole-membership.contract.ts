import { randomId } from '@florin/kernel';
import {
  type CheckpointStore,
  ShardLost,
  type SoleMembership,
  SubscriptionInUse,
} from '../ports/checkpoint-store.port';
import { beforeFirst } from '../ports/event-store.port';
import type { CheckpointStoreMembers } from './checkpoint-store-under-test';

const nothing = async (): Promise<void> => undefined;

/** The part of the contract about a sole member. */
export function describeSoleMembership<Tx>({
  underTest,
  subscription,
  join,
  joinExclusively,
}: CheckpointStoreMembers<Tx>): void {
  const another = async (): Promise<CheckpointStore<Tx>> => (await underTest().openAnother()).store;

  describe('sole membership', () => {
    it('is rejected while there is another member, without affecting that one', async () => {
      const member = await join(2);
      const before = await member.balance(nothing);
      await expect(joinExclusively(2, await another())).rejects.toBeInstanceOf(SubscriptionInUse);
      expect(await member.balance(nothing)).toEqual(before);
      await member.leave();
      expect((await joinExclusively(2, await another())).shardCount).toBe(2);
    });

    it('makes others wait until it leaves', async () => {
      const alone = await joinExclusively(2);
      await expect(joinExclusively(2, await another())).rejects.toBeInstanceOf(SubscriptionInUse);
      let hasJoined = false;
      const waiting = join(2, await another()).then((member) => {
        hasJoined = true;
        return member;
      });
      expect(await alone.balance(nothing)).toHaveLength(2);
      expect(hasJoined).toBe(false);
      await alone.leave();
      expect(await (await waiting).balance(nothing)).toHaveLength(2);
    });

    it('ends with a crash, and later writes are rejected', async () => {
      const dying = await underTest().openAnother();
      const dead = await joinExclusively(1, dying.store);
      const [old] = await dead.balance(nothing);
      await dying.crash();
      const heir = await join(1);
      const [claim] = await heir.balance(nothing);
      await heir.advance(claim!, 3n);
      await expect(dead.advance(old!, 4n)).rejects.toBeInstanceOf(ShardLost);
      await expect(dead.reset(nothing)).rejects.toBeInstanceOf(SubscriptionInUse);
      expect(await underTest().store.position(subscription())).toBe(3n);
    });
  });

  describe('reset', () => {
    async function movedTo(position: bigint): Promise<SoleMembership<Tx>> {
      const member = await joinExclusively(2);
      for (const claim of await member.balance(nothing)) await member.advance(claim, position);
      return member;
    }

    it('moves every shard before the first event, together with the work', async () => {
      const member = await movedTo(7n);
      const before = await member.balance(nothing);
      const text = randomId();
      await member.reset((tx) => underTest().write(tx, text));
      expect(await underTest().written()).toContain(text);
      expect(await underTest().store.position(subscription())).toBe(beforeFirst);
      const claims = await member.balance(nothing);
      expect(claims.map(({ position }) => position)).toEqual([beforeFirst, beforeFirst]);
      await expect(member.advance(before[0]!, 9n)).rejects.toBeInstanceOf(ShardLost);
      for (const claim of claims) await member.advance(claim, 2n);
      expect(await underTest().store.position(subscription())).toBe(2n);
    });

    it('changes nothing when the work fails', async () => {
      const member = await movedTo(7n);
      const text = randomId();
      const failing = member.reset(async (tx) => {
        await underTest().write(tx, text);
        throw new Error('the work failed');
      });
      await expect(failing).rejects.toThrow('the work failed');
      expect(await underTest().written()).not.toContain(text);
      expect(await underTest().store.position(subscription())).toBe(7n);
      for (const claim of await member.balance(nothing)) await member.advance(claim, 8n);
      expect(await underTest().store.position(subscription())).toBe(8n);
    });
  });
}
