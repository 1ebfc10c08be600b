import { MailboxFull, Mailboxes } from './mailbox';

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Mailboxes whose work is over when the test says so. */
function controlled(limits = { maxWaiting: 1_000, maxBatch: 256 }) {
  const started: { key: string; batch: readonly number[]; finish: () => void }[] = [];
  const mailboxes = new Mailboxes<number>(
    (key, batch) => new Promise<void>((finish) => started.push({ key, batch, finish })),
    limits,
  );
  return { mailboxes, started };
}

describe('Mailboxes', () => {
  it('work on whatever one turn of the event loop brings as one batch a key', async () => {
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

  it('do not wait for the end of a turn that brings many', () => {
    const { mailboxes, started } = controlled();
    for (let item = 0; item < 40; item++) mailboxes.put(item % 2 === 0 ? 'a' : 'b', item);
    expect(started.map(({ key, batch }) => [key, batch.length])).toEqual([
      ['a', 16],
      ['b', 16],
    ]);
  });

  it('never work on two batches of a key at once, and forget a key that is done', async () => {
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

  it('refuse what exceeds a key, and cut large batches', async () => {
    const { mailboxes, started } = controlled({ maxWaiting: 3, maxBatch: 2 });
    for (const item of [1, 2, 3]) mailboxes.put('a', item);
    expect(() => mailboxes.put('a', 4)).toThrow(MailboxFull);
    await endOfTurn();
    expect(started[0]!.batch).toEqual([1, 2]);
  });
});
