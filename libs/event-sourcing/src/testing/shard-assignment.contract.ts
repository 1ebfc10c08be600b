import type { Membership, ShardClaim } from '../ports/checkpoint-store.port';
import { beforeFirst } from '../ports/event-store.port';
import type { CheckpointStoreMembers } from './checkpoint-store-under-test';

const nothing = async (): Promise<void> => undefined;
const sortedShards = (claims: readonly ShardClaim[]) => claims.map((claim) => claim.shard).sort((a, b) => a - b);

/** Balances the members one after another until nothing changes, and checks that no shard has two owners. */
async function settle<Tx>(...members: Membership<Tx>[]): Promise<(readonly ShardClaim[])[]> {
  for (let round = 0, before = ''; round < 20; round++) {
    const held: (readonly ShardClaim[])[] = [];
    for (const member of members) held.push(await member.balance(nothing));
    const shards = held.flat().map((claim) => claim.shard);
    expect(new Set(shards).size).toBe(shards.length);
    const now = JSON.stringify(held.map((claims) => claims.map((claim) => [claim.shard, claim.epoch])));
    if (now === before) return held;
    before = now;
  }
  throw new Error('The shards keep moving although the members stay the same');
}

/** The part of the contract about the assignment of shards. */
export function describeShardAssignment<Tx>(given: CheckpointStoreMembers<Tx>): void {
  const { underTest, subscription, join, joinFromAnotherProcess, balanceUntil } = given;

  describe('shard assignment', () => {
    it('gives a single member all shards, from the beginning', async () => {
      const claims = await (await join(4)).balance(nothing);
      expect(sortedShards(claims)).toEqual([0, 1, 2, 3]);
      expect(claims.every((claim) => claim.position === beforeFirst)).toBe(true);
    });

    it('counts the members', async () => {
      const first = await join(1);
      await first.balance(nothing);
      expect(first.members).toBe(1);
      const second = await joinFromAnotherProcess(1);
      await settle(first, second);
      expect([first.members, second.members]).toEqual([2, 2]);
      await second.leave();
      await first.balance(nothing);
      expect(first.members).toBe(1);
    });

    it('keeps the number of shards that the first member chose', async () => {
      const first = await join(3);
      const second = await joinFromAnotherProcess(5);
      expect([first.shardCount, second.shardCount]).toEqual([3, 3]);
    });

    it('uses one number of shards when members with different numbers join concurrently', async () => {
      const another = (await underTest().openAnother()).store;
      const members = await Promise.all([join(2), join(7, another)]);
      expect(members[0].shardCount).toBe(members[1].shardCount);
      const shards = (await settle(...members)).flat();
      expect(sortedShards(shards)).toEqual(Array.from({ length: members[0].shardCount }, (_, n) => n));
    });

    it('keeps a claim while nothing changes', async () => {
      const member = await join(2);
      const before = await member.balance(nothing);
      await member.advance(before[0]!, 5n);
      expect(await member.balance(nothing)).toEqual(before);
    });

    it.each([
      [4, 2, [2, 2]],
      [5, 2, [2, 3]],
      [2, 2, [1, 1]],
      [1, 2, [0, 1]],
      [6, 3, [2, 2, 2]],
    ])('distributes %i shards over %i members', async (shardCount, memberCount, expected) => {
      const members = [await join(shardCount)];
      await settle(...members);
      while (members.length < memberCount) members.push(await joinFromAnotherProcess(shardCount));
      const held = await settle(...members);
      expect(held.map((claims) => claims.length).sort()).toEqual(expected);
      expect(sortedShards(held.flat())).toEqual(Array.from({ length: shardCount }, (_, n) => n));
    });

    it('lets the work on a shard end before another member gets it', async () => {
      const first = await join(2);
      await first.balance(nothing);
      const second = await joinFromAnotherProcess(2);
      const given: number[] = [];
      let heldMeanwhile: readonly ShardClaim[] | undefined;
      const kept = await first.balance(async (shard) => {
        given.push(shard);
        heldMeanwhile = await second.balance(nothing);
      });
      expect(heldMeanwhile).toEqual([]);
      expect(sortedShards(await second.balance(nothing))).toEqual(given);
      expect([...given, ...sortedShards(kept)].sort()).toEqual([0, 1]);
    });

    it('never gives one shard to two members that balance concurrently', async () => {
      const members = await Promise.all([join(8), joinFromAnotherProcess(8), joinFromAnotherProcess(8)]);
      const held = await Promise.all(members.map((member) => member.balance(nothing)));
      const shards = held.flat().map((claim) => claim.shard);
      expect(new Set(shards).size).toBe(shards.length);
    });

    it('moves the shards of a leaving member to the others', async () => {
      const first = await join(3);
      const second = await joinFromAnotherProcess(3);
      await settle(first, second);
      await second.leave();
      const [claims] = await settle(first);
      expect(sortedShards(claims!)).toEqual([0, 1, 2]);
    });

    it('moves the shards of a dead member to the others', async () => {
      const dying = await underTest().openAnother();
      const dead = await join(3, dying.store);
      const [before] = await settle(dead);
      await dead.advance(before![1]!, 42n);
      const heir = await join(3);
      await dying.crash();
      const claims = await balanceUntil(heir, 3);
      expect(claims.find((claim) => claim.shard === before![1]!.shard)?.position).toBe(42n);
    });

    it('separates different subscriptions', async () => {
      const one = await join(2);
      await settle(one);
      const another = (await underTest().openAnother()).store;
      const two = await join(2, another, `${subscription()}-2`);
      const held = [...(await settle(one)), ...(await settle(two))];
      expect(held.map((claims) => claims.length)).toEqual([2, 2]);
    });
  });
}
