import { setTimeout as pause } from 'node:timers/promises';
import { randomId } from '@florin/kernel';
import { type CheckpointStore, type Membership, type ShardClaim, ShardLost } from '../ports/checkpoint-store.port';
import { beforeFirst } from '../ports/event-store.port';
import { describeShardAssignment } from './shard-assignment.contract';
import { describePausedSubscriptions } from './paused-subscriptions.contract';
import { describeSetAsideStreams } from './set-aside-streams.contract';
import type { CheckpointStoreMembers, CheckpointStoreUnderTest } from './checkpoint-store-under-test';

/** The contract of every checkpoint store. */
export function checkpointStoreContract<Tx>(
  name: string,
  makeStore: () => Promise<CheckpointStoreUnderTest<Tx>>,
): void {
  describe(`${name} as a checkpoint store`, () => {
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

    async function join(shardCount: number, through = store, reader = subscription): Promise<Membership<Tx>> {
      const membership = await through.join(reader, shardCount);
      joined.push(membership);
      return membership;
    }

    async function joinFromAnotherProcess(shardCount: number): Promise<Membership<Tx>> {
      return join(shardCount, (await underTest.openAnother()).store);
    }

    /** A crash is detected with a delay. */
    async function balanceUntil(member: Membership<Tx>, count: number): Promise<readonly ShardClaim[]> {
      for (let tries = 0; tries < 300; tries++) {
        const claims = await member.balance(async () => undefined);
        if (claims.length === count) return claims;
        await pause(10);
      }
      throw new Error(`The member never got its ${count} shards`);
    }

    const members: CheckpointStoreMembers<Tx> = {
      underTest: () => underTest,
      subscription: () => subscription,
      join,
      joinFromAnotherProcess,
      balanceUntil,
    };

    describeShardAssignment(members);

    describe('checkpoints', () => {
      it('start before the first event, also for an unknown subscription', async () => {
        expect(await store.position(subscription)).toBe(beforeFirst);
        await join(2);
        expect(await store.position(subscription)).toBe(beforeFirst);
      });

      it('report the position of the slowest shard', async () => {
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

      it("report the previous owner's position to the next owner of a shard", async () => {
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

      it('commit together with the work', async () => {
        const member = await join(1);
        const [claim] = await member.balance(async () => undefined);
        const text = randomId();
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        expect(await underTest.written()).toContain(text);
        expect(await store.position(subscription)).toBe(3n);
      });

      it('roll back together with failed work, and advance afterwards', async () => {
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

      it('execute the work of a step once, even when it is repeated after a lost acknowledgement', async () => {
        const member = await join(1);
        const [claim] = await member.balance(async () => undefined);
        const text = randomId();
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        await member.advance(claim!, 3n, (tx) => underTest.write(tx, text));
        await member.advance(claim!, 2n, (tx) => underTest.write(tx, text));
        expect((await underTest.written()).filter((written) => written === text)).toHaveLength(1);
        expect(await store.position(subscription)).toBe(3n);
      });

      it('reject every write of an outdated claim', async () => {
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

      it('give new claims to a member that had lost all of its claims', async () => {
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

    describePausedSubscriptions(members);
    describeSetAsideStreams(members);
  });
}
