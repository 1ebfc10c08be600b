import { setTimeout as pause } from 'node:timers/promises';
import { randomId } from '@florin/kernel';
import {
  type CheckpointStore,
  type Membership,
  type ShardClaim,
  ShardLost,
  type SoleMembership,
} from '../ports/checkpoint-store.port';
import { describeBeingAlone } from './sole-membership.contract';
import { beforeFirst } from '../ports/event-store.port';

export interface CheckpointStoreUnderTest<Tx> {
  readonly store: CheckpointStore<Tx>;
  /** The same store as another process sees it. `crash` ends its hold on everything without telling it. */
  openAnother(): Promise<{ readonly store: CheckpointStore<Tx>; crash(): Promise<void> }>;
  /** Something that `work` can do, so that it shows whether a transaction was committed. */
  write(tx: Tx, text: string): Promise<void>;
  written(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What every checkpoint store promises, whatever it is made of. */
export function checkpointStoreContract<Tx>(
  name: string,
  makeStore: () => Promise<CheckpointStoreUnderTest<Tx>>,
): void {
  describe(`${name} keeps the contract of a checkpoint store`, () => {
    let underTest: CheckpointStoreUnderTest<Tx>;
    let store: CheckpointStore<Tx>;
    let subscription: string;
    const joined: Membership<Tx>[] = [];

    beforeAll(async () => {
      underTest = await makeStore();
      store = underTest.store;
    });
    afterAll(() => underTest.close());
    beforeEach(() => {
      subscription = `"Reader's" ${randomId()}`;
    });
    afterEach(async () => {
      for (const membership of joined.splice(0)) await membership.leave();
    });

    async function join(shardCount: number, through = store): Promise<Membership<Tx>> {
      const membership = await through.join(subscription, shardCount);
      joined.push(membership);
      return membership;
    }

    async function joinFromAnotherProcess(shardCount: number): Promise<Membership<Tx>> {
      return join(shardCount, (await underTest.openAnother()).store);
    }

    /** Lets the members balance in turn until nothing moves any more, and checks all the while that nobody shares. */
    async function settle(...members: Membership<Tx>[]): Promise<(readonly ShardClaim[])[]> {
      for (let round = 0, before = ''; round < 20; round++) {
        const held: (readonly ShardClaim[])[] = [];
        for (const member of members) held.push(await member.balance(async () => undefined));
        const shards = held.flat().map((claim) => claim.shard);
        expect(new Set(shards).size).toBe(shards.length);
        const now = JSON.stringify(held.map((claims) => claims.map((claim) => [claim.shard, claim.epoch])));
        if (now === before) return held;
        before = now;
      }
      throw new Error('The shards keep changing hands although the members stay the same');
    }

    /** A crash takes a moment to be noticed. */
    async function balanceUntil(member: Membership<Tx>, count: number): Promise<readonly ShardClaim[]> {
      for (let tries = 0; tries < 300; tries++) {
        const claims = await member.balance(async () => undefined);
        if (claims.length === count) return claims;
        await pause(10);
      }
      throw new Error(`The member never got its ${count} shards`);
    }

    const sortedShards = (claims: readonly ShardClaim[]) => claims.map((claim) => claim.shard).sort((a, b) => a - b);

    describe('sharing out the shards', () => {
      it('gives a single member all of them, to be read from the beginning', async () => {
        const claims = await (await join(4)).balance(async () => undefined);
        expect(sortedShards(claims)).toEqual([0, 1, 2, 3]);
        expect(claims.every((claim) => claim.position === beforeFirst)).toBe(true);
      });

      it('keeps the number of shards that the first member chose', async () => {
        const first = await join(3);
        const second = await joinFromAnotherProcess(5);
        expect([first.shardCount, second.shardCount]).toEqual([3, 3]);
      });

      it('keeps to one number of shards when members with different ideas join at once', async () => {
        const another = (await underTest.openAnother()).store;
        const members = await Promise.all([join(2), join(7, another)]);
        expect(members[0].shardCount).toBe(members[1].shardCount);
        const shards = (await settle(...members)).flat();
        expect(sortedShards(shards)).toEqual(Array.from({ length: members[0].shardCount }, (_, n) => n));
      });

      it('leaves a claim as it is while nothing changes', async () => {
        const member = await join(2);
        const before = await member.balance(async () => undefined);
        await member.advance(before[0]!, 5n);
        expect(await member.balance(async () => undefined)).toEqual(before);
      });

      it.each([
        [4, 2, [2, 2]],
        [5, 2, [2, 3]],
        [2, 2, [1, 1]],
        [1, 2, [0, 1]],
        [6, 3, [2, 2, 2]],
      ])('spreads %i shards over %i members', async (shardCount, memberCount, expected) => {
        const members = [await join(shardCount)];
        await settle(...members);
        while (members.length < memberCount) members.push(await joinFromAnotherProcess(shardCount));
        const held = await settle(...members);
        expect(held.map((claims) => claims.length).sort()).toEqual(expected);
        expect(sortedShards(held.flat())).toEqual(Array.from({ length: shardCount }, (_, n) => n));
      });

      it('lets the work on a shard end before anybody else gets it', async () => {
        const first = await join(2);
        await first.balance(async () => undefined);
        const second = await joinFromAnotherProcess(2);
        const given: number[] = [];
        let heldMeanwhile: readonly ShardClaim[] | undefined;
        const kept = await first.balance(async (shard) => {
          given.push(shard);
          heldMeanwhile = await second.balance(async () => undefined);
        });
        expect(heldMeanwhile).toEqual([]);
        expect(sortedShards(await second.balance(async () => undefined))).toEqual(given);
        expect([...given, ...sortedShards(kept)].sort()).toEqual([0, 1]);
      });

      it('never gives one shard to two members that balance at the same time', async () => {
        const members = await Promise.all([join(8), joinFromAnotherProcess(8), joinFromAnotherProcess(8)]);
        const held = await Promise.all(members.map((member) => member.balance(async () => undefined)));
        const shards = held.flat().map((claim) => claim.shard);
        expect(new Set(shards).size).toBe(shards.length);
      });

      it('hands the shards of a member that leaves to the others', async () => {
        const first = await join(3);
        const second = await joinFromAnotherProcess(3);
        await settle(first, second);
        await second.leave();
        const [claims] = await settle(first);
        expect(sortedShards(claims!)).toEqual([0, 1, 2]);
      });

      it('hands the shards of a member that dies to the others', async () => {
        const dying = await underTest.openAnother();
        const dead = await join(3, dying.store);
        const [before] = await settle(dead);
        await dead.advance(before![1]!, 42n);
        const heir = await join(3);
        await dying.crash();
        const claims = await balanceUntil(heir, 3);
        expect(claims.find((claim) => claim.shard === before![1]!.shard)?.position).toBe(42n);
      });

      it('does not mix up different subscriptions', async () => {
        const one = await join(2);
        await settle(one);
        subscription = `${subscription}-2`;
        const two = await joinFromAnotherProcess(2);
        const held = [...(await settle(one)), ...(await settle(two))];
        expect(held.map((claims) => claims.length)).toEqual([2, 2]);
      });
    });

    describe('moving checkpoints', () => {
      it('starts before the first event, also for a subscription that nobody knows', async () => {
        expect(await store.position(subscription)).toBe(beforeFirst);
        await join(2);
        expect(await store.position(subscription)).toBe(beforeFirst);
      });

      it('tells how far the slowest shard has read', async () => {
        const member = await join(2);
        const [one, two] = await member.balance(async () => undefined);
        await member.advance(one!, 9_007_199_254_740_993n);
        expect(await store.position(subscription)).toBe(beforeFirst);
        await member.advance(two!, 7n);
        expect(await store.position(subscription)).toBe(7n);
        await member.advance(two!, 9_007_199_254_740_995n);
        const another = await underTest.openAnother();
        expect(await another.store.position(subscription)).toBe(9_007_199_254_740_993n);
      });

      it('tells the next holder of a shard where the one before had got to', async () => {
        const first = await join(1);
        const [old] = await first.balance(async () => undefined);
        await first.advance(old!, 3n);
        await first.advance(old!, 4n);
        await first.leave();
        const second = await joinFromAnotherProcess(1);
        const [fresh] = await second.balance(async () => undefined);
        expect(fresh).toMatchObject({ shard: 0, position: 4n });
        expect(fresh!.epoch).toBeGreaterThan(old!.epoch);
      });

      it('commits the work together with the checkpoint', async () => {
        const member = await join(1);
        const [claim] = await member.balance(async () => undefined);
        const text = randomId();
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        expect(await underTest.written()).toContain(text);
        expect(await store.position(subscription)).toBe(3n);
      });

      it('commits neither when the work fails, and goes on afterwards', async () => {
        const member = await join(1);
        const [claim] = await member.balance(async () => undefined);
        const text = randomId();
        const failing = member.advance(claim!, 3n, async (tx) => {
          await underTest.write(tx, text);
          throw new Error('the work failed');
        });
        await expect(failing).rejects.toThrow('the work failed');
        expect(await underTest.written()).not.toContain(text);
        expect(await store.position(subscription)).toBe(beforeFirst);
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        expect(await underTest.written()).toContain(text);
      });

      it('does the work of a step once, also when it is repeated because its answer was lost', async () => {
        const member = await join(1);
        const [claim] = await member.balance(async () => undefined);
        const text = randomId();
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        await member.advance(claim!, 2n, (tx) => underTest.write(tx, text));
        expect((await underTest.written()).filter((written) => written === text)).toHaveLength(1);
        expect(await store.position(subscription)).toBe(3n);
      });

      it('lets a zombie change nothing', async () => {
        const zombie = await underTest.openAnother();
        const dead = await join(1, zombie.store);
        const [old] = await dead.balance(async () => undefined);
        await zombie.crash();
        const heir = await join(1);
        const [claim] = await balanceUntil(heir, 1);
        await heir.advance(claim!, 10n);
        const text = randomId();
        await expect(dead.advance(old!, 20n)).rejects.toBeInstanceOf(ShardLost);
        await expect(dead.advance(old!, 20n, (tx) => underTest.write(tx, text))).rejects.toBeInstanceOf(ShardLost);
        expect(await underTest.written()).not.toContain(text);
        expect(await store.position(subscription)).toBe(10n);
      });

      it('takes a member back that had lost everything, with new claims', async () => {
        const unlucky = await underTest.openAnother();
        const member = await join(2, unlucky.store);
        const before = await member.balance(async () => undefined);
        await unlucky.crash();
        const heir = await join(2);
        const inherited = await balanceUntil(heir, 2);
        await heir.leave();
        const after = await balanceUntil(member, 2);
        for (const claim of after) {
          const earlier = [...before, ...inherited].filter(({ shard }) => shard === claim.shard);
          expect(claim.epoch).toBeGreaterThan(Math.max(...earlier.map(({ epoch }) => epoch)));
          await member.advance(claim, 6n);
        }
        expect(await store.position(subscription)).toBe(6n);
      });
    });

    describeBeingAlone<Tx>({
      underTest: () => underTest,
      subscription: () => subscription,
      join,
      joinAlone: async (shardCount, through = store): Promise<SoleMembership<Tx>> => {
        const membership = await through.joinAlone(subscription, shardCount);
        joined.push(membership);
        return membership;
      },
    });
  });
}
