import { MailboxFull, Mailboxes } from './mailbox';

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Mailboxes whose work the test completes. */
function controlled(limits = { maxWaiting: 1_000, maxBatch: 256 }) {
  const started: { key: string; batch: readonly number[]; finish: () => void }[] = [];
  const mailboxes = new Mailboxes<number>(
    (key, batch) => new Promise<void>((finish) => started.push({ key, batch, finish })),
    limits,
  );
  return { mailboxes, started };
}

describe('Mailboxes', () => {
  it('process the items of one event loop turn as one batch per key', async () => {
    const { mailboxes, started } = controlled();
    for (const item of [1, 2, 3]) mailboxes.put('a', item);
    mailboxes.put('b', 4);
    expect(started).toEqual([]);
    await endOfTurn();
    expect(started.map(({ key, batch }) => [key, batch])).toEqual([
      ['a', [1, 2, 3]],
      ['b', [4]],
    ]);
  });

  it('start early when a turn adds many items', () => {
    const { mailboxes, started } = controlled();
    for (let item = 0; item < 40; item++) mailboxes.put(item % 2 === 0 ? 'a' : 'b', item);
    expect(started.map(({ key, batch }) => [key, batch.length])).toEqual([
      ['a', 16],
      ['b', 16],
    ]);
  });

  it('never process two batches of a key concurrently, and remove an empty mailbox', async () => {
    const { mailboxes, started } = controlled();
    mailboxes.put('a', 1);
    await endOfTurn();
    mailboxes.put('a', 2);
    mailboxes.put('a', 3);
    await endOfTurn();
    expect(started).toHaveLength(1);
    started[0]!.finish();
    await endOfTurn();
    expect(started[1]!.batch).toEqual([2, 3]);
    expect(mailboxes.isIdle('a')).toBe(false);
    started[1]!.finish();
    await endOfTurn();
    expect(mailboxes.isIdle('a')).toBe(true);
  });

  it('reject items beyond the limit of a key, and split large batches', async () => {
    const { mailboxes, started } = controlled({ maxWaiting: 3, maxBatch: 2 });
    for (const item of [1, 2, 3]) mailboxes.put('a', item);
    expect(() => mailboxes.put('a', 4)).toThrow(MailboxFull);
    await endOfTurn();
    expect(started[0]!.batch).toEqual([1, 2]);
  });

  it('process items that are put together as one batch, or accept none of them', async () => {
    const { mailboxes, started } = controlled({ maxWaiting: 100, maxBatch: 100 });
    const items = Array.from({ length: 60 }, (_, index) => index);
    mailboxes.putAll('a', items);
    expect(started.map(({ batch }) => batch)).toEqual([items]);
    mailboxes.putAll('a', items);
    expect(() => mailboxes.putAll('a', items)).toThrow(MailboxFull);
    mailboxes.put('a', 60);
    started[0]!.finish();
    await endOfTurn();
    expect(started[1]!.batch).toEqual([...items, 60]);
  });
});
