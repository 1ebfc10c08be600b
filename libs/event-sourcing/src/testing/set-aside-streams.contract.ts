import { randomId } from '@florin/kernel';
import { type SetAsideStream, ShardLost } from '../ports/checkpoint-store.port';
import type { CheckpointStoreMembers } from './checkpoint-store-under-test';

const entry = (stream: string, position: bigint): SetAsideStream => {
  const reason = `"It's" unknown`;
  return { stream, position, revision: 1, type: 'Unknown', schemaVersion: 2, reason };
};

/** Part of the contract of every checkpoint store. */
export function describeSetAsideStreams<Tx>(members: CheckpointStoreMembers<Tx>): void {
  const byStream = (entries: readonly SetAsideStream[]) =>
    [...entries].sort((one, other) => one.stream.localeCompare(other.stream));

  describe('set-aside streams', () => {
    it('are stored together with the checkpoint, for all members of the subscription', async () => {
      const member = await members.join(2);
      const [one, two] = await member.balance(async () => undefined);
      expect(await member.setAside()).toEqual([]);
      await member.advance(one!, 3n, undefined, { put: [entry('a', 2n)] });
      const text = randomId();
      await member.advance(two!, 9_007_199_254_740_995n, (tx) => members.underTest().write(tx, text), {
        put: [entry('b', 9_007_199_254_740_993n)],
      });
      const heir = await members.joinFromAnotherProcess(2);
      expect(byStream(await heir.setAside())).toEqual([entry('a', 2n), entry('b', 9_007_199_254_740_993n)]);
      const another = await members.join(1, undefined, randomId());
      expect(await another.setAside()).toEqual([]);
    });

    it('roll back together with failed work', async () => {
      const member = await members.join(1);
      const [claim] = await member.balance(async () => undefined);
      const failing = async (): Promise<void> => Promise.reject(new Error('the work failed'));
      await expect(member.advance(claim!, 3n, failing, { put: [entry('a', 2n)] })).rejects.toThrow('the work failed');
      await expect(member.write(claim!, { put: [entry('a', 2n)] }, failing)).rejects.toThrow('the work failed');
      expect(await member.setAside()).toEqual([]);
    });

    it('stay as they are when a step is repeated after a lost acknowledgement', async () => {
      const member = await members.join(1);
      const [claim] = await member.balance(async () => undefined);
      await member.advance(claim!, 3n, undefined, { put: [entry('a', 2n)] });
      await member.write(claim!, { removed: ['a'] });
      await member.advance(claim!, 3n, undefined, { put: [entry('a', 2n)] });
      expect(await member.setAside()).toEqual([]);
    });

    it('change together with work that does not move the checkpoint', async () => {
      const member = await members.join(1);
      const [claim] = await member.balance(async () => undefined);
      await member.advance(claim!, 5n, undefined, { put: [entry('a', 2n), entry('b', 3n)] });
      const text = randomId();
      const work = (tx: Tx): Promise<void> => members.underTest().write(tx, text);
      await member.write(claim!, { put: [entry('a', 4n)], removed: ['b'] }, work);
      expect(await members.underTest().written()).toContain(text);
      expect(await member.setAside()).toEqual([entry('a', 4n)]);
      expect(await members.underTest().store.position(members.subscription())).toBe(5n);
    });

    it('are not changed by an outdated claim', async () => {
      const zombie = await members.underTest().openAnother();
      const dead = await members.join(1, zombie.store);
      const [old] = await dead.balance(async () => undefined);
      await zombie.crash();
      await members.balanceUntil(await members.join(1), 1);
      const text = randomId();
      const work = (tx: Tx): Promise<void> => members.underTest().write(tx, text);
      await expect(dead.write(old!, { put: [entry('a', 2n)] }, work)).rejects.toBeInstanceOf(ShardLost);
      expect(await members.underTest().written()).not.toContain(text);
      const heir = await members.joinFromAnotherProcess(1);
      expect(await heir.setAside()).toEqual([]);
    });
  });
}
