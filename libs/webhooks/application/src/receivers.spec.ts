import type { ClaimedDelivery, Receiver } from './delivery-queue.port';
import { Receivers } from './receivers';

const receiverOf = (revision: number): Receiver => ({ url: `http://localhost/${revision}`, secrets: ['s'], revision });
const deliveryTo = (endpointId: string, receiver: Receiver): ClaimedDelivery => ({
  ...{ id: '', eventId: 'evt_', endpointId, accountId: '', environment: 'sandbox', body: '' },
  ...{ ...receiver, attempts: 0, claim: '', claimedUntil: new Date(0) },
});

/** What is read is what stands in the table at that moment. */
function receiversWith(freshMs: number) {
  const table = new Map<string, Receiver>();
  const reads: string[][] = [];
  const receivers = new Receivers(freshMs, async (ids) => {
    reads.push([...ids]);
    return new Map([...table].filter(([id]) => ids.includes(id)));
  });
  return { table, reads, receivers };
}

describe('Receivers', () => {
  it('knows what came with deliveries until it is too old', () => {
    const claimed = [deliveryTo('a', receiverOf(1))];
    const { receivers } = receiversWith(3_600_000);
    receivers.note(claimed, performance.now());
    expect([receivers.get('a'), receivers.get('b')]).toEqual([receiverOf(1), undefined]);
    receivers.note(claimed, performance.now() - 3_600_000);
    expect(receivers.get('a')).toEqual(receiverOf(1));
    const { receivers: others } = receiversWith(3_600_000);
    others.note(claimed, performance.now() - 3_600_000);
    expect(others.get('a')).toBeUndefined();
  });

  it('reads again what it is asked for together with all that was used, and forgets who is no more', async () => {
    const { table, reads, receivers } = receiversWith(3_600_000);
    receivers.note(
      ['used', 'deleted', 'unused'].map((id) => deliveryTo(id, receiverOf(1))),
      performance.now() - 1,
    );
    receivers.get('used');
    receivers.get('deleted');
    table.set('used', receiverOf(2)).set('unused', receiverOf(2)).set('asked', receiverOf(2));
    expect((await receivers.readAgain(['asked', 'asked'])).get('asked')).toEqual(receiverOf(2));
    expect(reads).toEqual([['asked', 'used', 'deleted']]);
    const known = ['asked', 'used', 'deleted', 'unused'].map((id) => receivers.get(id)?.revision);
    expect(known).toEqual([2, 2, undefined, 1]);
  });

  it('does not take what was asked for sooner for news', async () => {
    const { table, receivers } = receiversWith(3_600_000);
    const sooner = performance.now() - 1;
    table.set('a', receiverOf(2));
    await receivers.readAgain(['a']);
    receivers.note([deliveryTo('a', receiverOf(1))], sooner);
    expect(receivers.get('a')).toEqual(receiverOf(2));
  });
});
