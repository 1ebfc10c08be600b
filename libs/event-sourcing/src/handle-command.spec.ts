import { manualClock, type StateOf } from '@florin/kernel';
import * as fc from 'fast-check';
import { noBackoff } from './backoff';
import { findBrokenLink, metadataOf } from './event-metadata';
import type { CommandContext } from './command-context';
import { CommandHandler, type CommandHandlerOptions } from './handle-command';
import { MailboxFull } from './mailbox';
import { AppendTooLarge, type EventStore, type EventToAppend, type RecordedEvent } from './ports/event-store.port';
import { InMemoryEventStore } from './testing/in-memory-event-store';
import { addUp, tallyAggregate, tallyLimit } from './testing/tally';

const headers = { correlationId: 'c1', causationId: 'r1' };
const context = (id: string): CommandContext => ({ id, headers });

function handlerOn(store: EventStore, overrides: Partial<CommandHandlerOptions> = {}, aggregate = tallyAggregate) {
  const clock = manualClock('2030-01-01T00:00:00.000Z');
  return new CommandHandler(aggregate, { store, clock, backoff: noBackoff, ...overrides });
}

async function eventsOf(store: EventStore, stream: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of store.readStream(stream)) events.push(...page);
  return events;
}

/** A store whose appends are counted and can be made to fail, before or after they really happened. */
class FaultyStore extends InMemoryEventStore {
  appends = 0;
  faults: ('before' | 'after')[] = [];

  override async append(...call: Parameters<EventStore['append']>): Promise<void> {
    this.appends += 1;
    const fault = this.faults.shift();
    if (fault === 'before') throw new Error('connection lost before the append');
    await super.append(...call);
    if (fault === 'after') throw new Error('connection lost after the append');
  }
}

describe('CommandHandler', () => {
  it('stores the events and answers from the state they lead to', async () => {
    const store = new InMemoryEventStore();
    const handler = handlerOn(store);
    await expect(handler.handle('a', addUp('1', 5), context('1'))).resolves.toEqual({
      ok: true,
      repeated: false,
      answer: 5,
    });
    await expect(handler.handle('a', addUp('2', 3), context('2'))).resolves.toEqual({
      ok: true,
      repeated: false,
      answer: 8,
    });
    expect((await eventsOf(store, 'tally-a')).map((event) => JSON.parse(event.data))).toEqual([
      { id: '1', amount: 5 },
      { id: '2', amount: 3 },
    ]);
  });

  it('recognises a repeat, also in a new process', async () => {
    const store = new InMemoryEventStore();
    await handlerOn(store).handle('a', addUp('1'), context('1'));
    const again = await handlerOn(store).handle('a', addUp('1'), context('1'));
    expect(again).toEqual({ ok: true, repeated: true, answer: 1 });
    expect(await eventsOf(store, 'tally-a')).toHaveLength(1);
  });

  it('decides what waits together and stores it by one append', async () => {
    const store = new FaultyStore();
    const handler = handlerOn(store);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => handler.handle('a', addUp(`${index}`), context(`${index}`))),
    );
    expect(replies.map((reply) => reply.ok && reply.answer)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(store.appends).toBeLessThanOrEqual(3);
    expect(await eventsOf(store, 'tally-a')).toHaveLength(100);
  });

  it('stores in parts what is too much for one append, in order, and blames only what is too much by itself', async () => {
    const store = new InMemoryEventStore();
    const append = store.append.bind(store);
    const isHeavy = ({ data }: EventToAppend): boolean => data.includes('heavy');
    store.append = async (stream, revision, events) => {
      if (events.length > 3 || events.some(isHeavy)) throw new AppendTooLarge(stream, 3);
      await append(stream, revision, events);
    };
    const handler = handlerOn(store);
    const ids = [...'abcdefg', 'heavy', ...'hij'];
    const outcomes = await Promise.allSettled(ids.map((id) => handler.handle('a', addUp(id), context(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map((id) => (id === 'heavy' ? 'rejected' : 'fulfilled')));
    const stored = (await eventsOf(store, 'tally-a')).map(({ data }) => (JSON.parse(data) as { id: string }).id);
    expect(stored).toEqual([...'abcdefghij']);
  });

  it('answers only once the append is durable, repeats and refusals of the same batch included', async () => {
    const store = new InMemoryEventStore();
    let finish = (): void => undefined;
    const append = store.append.bind(store);
    store.append = async (...call) => {
      await new Promise<void>((resolve) => (finish = resolve));
      await append(...call);
    };
    const handler = handlerOn(store);
    const answered: string[] = [];
    const note = (name: string) => () => void answered.push(name);
    const all = [
      handler.handle('a', addUp('1'), context('1')).then(note('first')),
      handler.handle('a', addUp('1'), context('1')).then(note('repeat')),
      handler.handle('a', addUp('2', tallyLimit), context('2')).then(note('refusal')),
    ];
    await new Promise(setImmediate);
    expect(answered).toEqual([]);
    finish();
    await Promise.all(all);
    expect(answered).toEqual(['first', 'repeat', 'refusal']);
  });

  it('reloads and decides again when another replica has written', async () => {
    const store = new InMemoryEventStore();
    const [one, two] = [handlerOn(store), handlerOn(store)];
    await one.handle('a', addUp('1'), context('1'));
    await two.handle('a', addUp('2'), context('2'));
    await expect(one.handle('a', addUp('3'), context('3'))).resolves.toMatchObject({ answer: 3 });
    await expect(one.handle('a', addUp('2'), context('2'))).resolves.toMatchObject({ repeated: true });
  });

  it('refuses only on a state that is current', async () => {
    const store = new InMemoryEventStore();
    const [one, two] = [handlerOn(store), handlerOn(store)];
    await one.handle('a', addUp('1'), context('1'));
    await two.handle('a', addUp('late', tallyLimit - 1), context('late'));
    // To `one`, whose state is old, `late` looks like a new wish for which there is no room.
    await expect(one.handle('a', addUp('late', tallyLimit), context('late'))).resolves.toMatchObject({
      repeated: true,
    });
    await expect(one.handle('a', addUp('x'), context('x'))).resolves.toMatchObject({ ok: false });
  });

  it.each(['before', 'after'] as const)('does it once when the connection breaks %s the append', async (fault) => {
    const store = new FaultyStore();
    store.faults = [fault];
    await expect(handlerOn(store).handle('a', addUp('1'), context('1'))).resolves.toMatchObject({
      ok: true,
      answer: 1,
    });
    expect(await eventsOf(store, 'tally-a')).toHaveLength(1);
  });

  it('gives up after a bounded number of attempts, and works again later', async () => {
    const store = new FaultyStore();
    store.faults = ['before', 'before', 'before'];
    const handler = handlerOn(store, { maxAttempts: 3 });
    await expect(handler.handle('a', addUp('1'), context('1'))).rejects.toThrow(/connection lost/);
    await expect(handler.handle('a', addUp('1'), context('1'))).resolves.toMatchObject({ repeated: false });
  });

  it('lets one impossible command fail alone', async () => {
    const handler = handlerOn(new InMemoryEventStore());
    const [bad, good] = await Promise.allSettled([
      handler.handle('a', addUp('1', -1), context('1')),
      handler.handle('a', addUp('2'), context('2')),
    ]);
    expect(bad).toMatchObject({ status: 'rejected' });
    expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true, answer: 1 } });
  });

  it('refuses to pile up more than it may', async () => {
    const handler = handlerOn(new InMemoryEventStore(), { maxWaiting: 2 });
    const results = await Promise.allSettled(
      ['1', '2', '3', '4', '5'].map((id) => handler.handle('a', addUp(id), context(id))),
    );
    const failed = results.filter((result) => result.status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed) expect(reason).toBeInstanceOf(MailboxFull);
  });

  it('keeps a bounded number of states and reloads the others', async () => {
    const store = new InMemoryEventStore();
    const handler = handlerOn(store, { cachedStreams: 2 });
    for (const id of ['a', 'b', 'c', 'a', 'b', 'c']) {
      const previous = (await eventsOf(store, `tally-${id}`)).length;
      const reply = await handler.handle(id, addUp(`${id}${previous}`), context(`${id}${previous}`));
      expect(reply).toMatchObject({ answer: previous + 1 });
    }
  });

  it('writes who, when and why beside every event, chained so that a change shows', async () => {
    const store = new InMemoryEventStore();
    const clock = manualClock('2030-01-02T00:00:00.000Z');
    const handler = handlerOn(store, { clock });
    await handler.handle('a', addUp('1'), context('m1'));
    clock.set('2030-01-01T00:00:00.000Z');
    await handler.handle('a', addUp('2'), context('m2'));
    const events = await eventsOf(store, 'tally-a');
    expect(metadataOf(events[1]!)).toMatchObject({
      schemaVersion: 1,
      correlationId: 'c1',
      causationId: 'm2',
      recordedAt: '2030-01-02T00:00:00.000Z', // The clock went back; the stream's times do not.
    });
    expect(findBrokenLink(events)).toBeUndefined();
  });

  it('lifts old versions when it loads a stream', async () => {
    const store = new InMemoryEventStore();
    await handlerOn(store).handle('a', addUp('1', 5), context('1'));
    const versions = { AddedUp: [(data: unknown) => ({ ...(data as { id: string }), amount: 50 })] };
    const next = { ...tallyAggregate, versions };
    await expect(handlerOn(store, {}, next).handle('a', addUp('2', 1), context('2'))).resolves.toMatchObject({
      answer: 51,
    });
    await expect(handlerOn(store, {}, next).handle('a', addUp('3', 1), context('3'))).resolves.toMatchObject({
      answer: 52,
    });
    // A release that does not know version 2 must not guess.
    await expect(handlerOn(store).handle('a', addUp('4'), context('4'))).rejects.toThrow(
      /version 2 .* unknown to this release/,
    );
  });

  it('does everything once under any mix of faults, repeats and replicas', async () => {
    const faults = fc.array(fc.constantFrom('before' as const, 'after' as const, undefined), { maxLength: 30 });
    const wishes = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 1 })), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(faults, wishes, async (plan, list) => {
        const store = new FaultyStore();
        store.faults = plan as ('before' | 'after')[];
        const replicas = [handlerOn(store, { maxAttempts: 50 }), handlerOn(store, { maxAttempts: 50 })];
        const replies = await Promise.all(
          list.map(([id, replica]) => replicas[replica]!.handle('a', addUp(`${id}`), context(`${id}`))),
        );
        const distinct = new Set(list.map(([id]) => id)).size;
        expect(replies.every((reply) => reply.ok)).toBe(true);
        const events = await eventsOf(store, 'tally-a');
        expect(events).toHaveLength(distinct);
        expect(findBrokenLink(events)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the chain whole when two replicas get the same command at the same moment', async () => {
    const store = new InMemoryEventStore();
    const [one, other] = [handlerOn(store), handlerOn(store, { clock: manualClock('2030-01-01T00:00:00.001Z') })];
    const id = '3d6f0f5e-6f0c-4f5e-8a57-0d2f6f0c4f5e';
    const replies = await Promise.all([one, other].map((handler) => handler.handle('a', addUp(id, 5), context(id))));
    expect(replies.map((reply) => reply.ok && reply.repeated).sort()).toEqual([false, true]);
    await other.handle('a', addUp('2', 5), context('2'));
    await one.handle('a', addUp('3', 5), context('3'));
    const events = await eventsOf(store, 'tally-a');
    expect(events).toHaveLength(3);
    expect(findBrokenLink(events)).toBeUndefined();
  });

  describe('reading', () => {
    const total = (state: StateOf<typeof tallyAggregate>): number => state.total;

    it('sees what was stored, and the initial state where nothing was', async () => {
      const store = new InMemoryEventStore();
      const handler = handlerOn(store);
      expect(await handler.read('a', 1_000, total)).toBe(0);
      await handler.handle('a', addUp('1', 5), context('1'));
      expect(await handler.read('a', 1_000, total)).toBe(5);
    });

    it('takes its turn among the commands, and is answered only once they are durable', async () => {
      const store = new FaultyStore();
      store.faults = ['before', 'before'];
      const handler = handlerOn(store, { maxAttempts: 2 });
      const together = [handler.handle('a', addUp('1', 5), context('1')), handler.read('a', 1_000, total)];
      for (const outcome of await Promise.allSettled(together)) expect(outcome.status).toBe('rejected');
      expect(await handler.read('a', 1_000, total)).toBe(0);
      const answered = [handler.handle('a', addUp('2', 7), context('2')), handler.read('a', 1_000, total)];
      expect((await Promise.all(answered))[1]).toBe(7);
    });

    it('asks the store again only when what it remembers is too old', async () => {
      const store = new InMemoryEventStore();
      const clock = manualClock('2030-01-01T00:00:00.000Z');
      const handler = handlerOn(store, { clock });
      await handler.read('a', 1_000, total);
      await handlerOn(store).handle('a', addUp('1', 5), context('1'));
      clock.advance(999);
      expect(await handler.read('a', 1_000, total)).toBe(0);
      expect(await handler.read('a', 0, total)).toBe(5);
      await handlerOn(store).handle('a', addUp('2', 5), context('2'));
      clock.advance(1_000);
      expect(await handler.read('a', 1_000, total)).toBe(10);
    });

    it('does not make a command of an absent stream load it again, nor write over what came meanwhile', async () => {
      const store = new InMemoryEventStore();
      const handler = handlerOn(store);
      await handler.read('a', 1_000, total);
      await handlerOn(store).handle('a', addUp('1', 5), context('1'));
      expect(await handler.handle('a', addUp('2', 7), context('2'))).toEqual({ ok: true, repeated: false, answer: 12 });
    });

    it('passes on what went wrong', async () => {
      const store = new InMemoryEventStore();
      store.readStream = () => {
        throw new Error('cannot read');
      };
      await expect(handlerOn(store, { maxAttempts: 2 }).read('a', 0, total)).rejects.toThrow('cannot read');
      const look = (): never => {
        throw new Error('a view that throws');
      };
      await expect(handlerOn(new InMemoryEventStore(), { maxAttempts: 1 }).read('a', 0, look)).rejects.toThrow(
        'a view',
      );
    });
  });
});
