import { serviceActor, type StateOf } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import * as fc from 'fast-check';
import { noBackoff } from './testing/no-backoff';
import { findBrokenLink, metadataOf } from './event-metadata';
import type { CommandContext } from './ports/command-bus.port';
import type { CommandHandlerOptions } from './command-handler-options';
import { CommandHandler } from './handle-command';
import { MailboxFull } from './mailbox';
import { AppendTooLarge, type EventStore, type EventToAppend, type RecordedEvent } from './ports/event-store.port';
import { InMemoryEventStore } from './testing/in-memory-event-store';
import { increment, tallyAggregate, tallyLimit } from './testing/tally';

const headers = { correlationId: 'c1', causationId: 'r1', actor: serviceActor('test') };
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

/** A store that counts appends and can fail them before or after they are stored. */
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
  it('stores the events and replies from the resulting state', async () => {
    const store = new InMemoryEventStore();
    const handler = handlerOn(store);
    await expect(handler.handle('a', increment('1', 5), context('1'))).resolves.toEqual({
      ok: true,
      repeated: false,
      answer: 5,
    });
    await expect(handler.handle('a', increment('2', 3), context('2'))).resolves.toEqual({
      ok: true,
      repeated: false,
      answer: 8,
    });
    expect((await eventsOf(store, 'tally-a')).map((event) => JSON.parse(event.data))).toEqual([
      { id: '1', amount: 5 },
      { id: '2', amount: 3 },
    ]);
  });

  it('recognizes a repeat, even in a new process', async () => {
    const store = new InMemoryEventStore();
    await handlerOn(store).handle('a', increment('1'), context('1'));
    const again = await handlerOn(store).handle('a', increment('1'), context('1'));
    expect(again).toEqual({ ok: true, repeated: true, answer: 1 });
    expect(await eventsOf(store, 'tally-a')).toHaveLength(1);
  });

  it('decides waiting commands together and stores them in one append', async () => {
    const store = new FaultyStore();
    const handler = handlerOn(store);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => handler.handle('a', increment(`${index}`), context(`${index}`))),
    );
    expect(replies.map((reply) => reply.ok && reply.answer)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(store.appends).toBeLessThanOrEqual(3);
    expect(await eventsOf(store, 'tally-a')).toHaveLength(100);
  });

  it('decides the commands of a bulk request in order, and stores them in one append', async () => {
    const store = new FaultyStore();
    const handler = handlerOn(store);
    const ids = Array.from({ length: 499 }, (_, index) => `${index}`);
    const commands = [...ids.map((id) => increment(id)), increment('too much', tallyLimit)];
    const replies = await handler.handleAll('a', commands, context('bulk'));
    const answers = replies.map((reply) => (reply.ok ? reply.answer : reply.refusal.refused));
    expect(answers).toEqual([...ids.map((_, index) => index + 1), 'limit_reached']);
    expect(store.appends).toBe(1);
    const stored = (await eventsOf(store, 'tally-a')).map(({ data }) => (JSON.parse(data) as { id: string }).id);
    expect(stored).toEqual(ids);
    expect(findBrokenLink(await eventsOf(store, 'tally-a'))).toBeUndefined();
    const again = await handlerOn(store).handleAll('a', commands.slice(0, 2), context('bulk'));
    expect(again).toMatchObject([{ repeated: true }, { repeated: true }]);
  });

  it('splits a batch that is too large, in order, and rejects only the command that is too large by itself', async () => {
    const store = new InMemoryEventStore();
    const append = store.append.bind(store);
    const isHeavy = ({ data }: EventToAppend): boolean => data.includes('heavy');
    store.append = async (stream, revision, events) => {
      if (events.length > 3 || events.some(isHeavy)) throw new AppendTooLarge(stream, 3);
      await append(stream, revision, events);
    };
    const handler = handlerOn(store);
    const ids = [...'abcdefg', 'heavy', ...'hij'];
    const outcomes = await Promise.allSettled(ids.map((id) => handler.handle('a', increment(id), context(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map((id) => (id === 'heavy' ? 'rejected' : 'fulfilled')));
    const stored = (await eventsOf(store, 'tally-a')).map(({ data }) => (JSON.parse(data) as { id: string }).id);
    expect(stored).toEqual([...'abcdefghij']);
  });

  it('replies only after the append is durable, including repeats and refusals of the same batch', async () => {
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
      handler.handle('a', increment('1'), context('1')).then(note('first')),
      handler.handle('a', increment('1'), context('1')).then(note('repeat')),
      handler.handle('a', increment('2', tallyLimit), context('2')).then(note('refusal')),
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
    await one.handle('a', increment('1'), context('1'));
    await two.handle('a', increment('2'), context('2'));
    await expect(one.handle('a', increment('3'), context('3'))).resolves.toMatchObject({ answer: 3 });
    await expect(one.handle('a', increment('2'), context('2'))).resolves.toMatchObject({ repeated: true });
  });

  it('refuses only on the current state', async () => {
    const store = new InMemoryEventStore();
    const [one, two] = [handlerOn(store), handlerOn(store)];
    await one.handle('a', increment('1'), context('1'));
    await two.handle('a', increment('late', tallyLimit - 1), context('late'));
    // The state of `one` is outdated, so `late` appears as a new command for which there is no room.
    await expect(one.handle('a', increment('late', tallyLimit), context('late'))).resolves.toMatchObject({
      repeated: true,
    });
    await expect(one.handle('a', increment('x'), context('x'))).resolves.toMatchObject({ ok: false });
  });

  it('replies to a repeat only from the current state', async () => {
    const store = new InMemoryEventStore();
    const [one, two] = [handlerOn(store), handlerOn(store)];
    await one.handle('a', increment('1'), context('1'));
    await two.handle('a', increment('2'), context('2'));
    await expect(one.handle('a', increment('1'), context('1'))).resolves.toEqual({
      ok: true,
      repeated: true,
      answer: 2,
    });
  });

  it.each(['before', 'after'] as const)(
    'executes a command once when the connection breaks %s the append',
    async (fault) => {
      const store = new FaultyStore();
      store.faults = [fault];
      await expect(handlerOn(store).handle('a', increment('1'), context('1'))).resolves.toMatchObject({
        ok: true,
        answer: 1,
      });
      expect(await eventsOf(store, 'tally-a')).toHaveLength(1);
    },
  );

  it('stops after a bounded number of attempts and works again later', async () => {
    const store = new FaultyStore();
    store.faults = ['before', 'before', 'before'];
    const handler = handlerOn(store, { maxAttempts: 3 });
    await expect(handler.handle('a', increment('1'), context('1'))).rejects.toThrow(/connection lost/);
    await expect(handler.handle('a', increment('1'), context('1'))).resolves.toMatchObject({ repeated: false });
  });

  it('rejects an impossible command without affecting the others', async () => {
    const handler = handlerOn(new InMemoryEventStore());
    const [bad, good] = await Promise.allSettled([
      handler.handle('a', increment('1', -1), context('1')),
      handler.handle('a', increment('2'), context('2')),
    ]);
    expect(bad).toMatchObject({ status: 'rejected' });
    expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true, answer: 1 } });
  });

  it('rejects commands beyond the limit of a mailbox', async () => {
    const handler = handlerOn(new InMemoryEventStore(), { maxWaiting: 2 });
    const results = await Promise.allSettled(
      ['1', '2', '3', '4', '5'].map((id) => handler.handle('a', increment(id), context(id))),
    );
    const failed = results.filter((result) => result.status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed) expect(reason).toBeInstanceOf(MailboxFull);
  });

  it('caches a bounded number of states and reloads the others', async () => {
    const store = new InMemoryEventStore();
    const handler = handlerOn(store, { cachedStreams: 2 });
    for (const id of ['a', 'b', 'c', 'a', 'b', 'c']) {
      const previous = (await eventsOf(store, `tally-${id}`)).length;
      const reply = await handler.handle(id, increment(`${id}${previous}`), context(`${id}${previous}`));
      expect(reply).toMatchObject({ answer: previous + 1 });
    }
  });

  it('stores correlation, time, cause and actor with every event, protected by the hash chain', async () => {
    const store = new InMemoryEventStore();
    const clock = manualClock('2030-01-02T00:00:00.000Z');
    const handler = handlerOn(store, { clock });
    await handler.handle('a', increment('1'), context('m1'));
    clock.set('2030-01-01T00:00:00.000Z');
    await handler.handle('a', increment('2'), context('m2'));
    const events = await eventsOf(store, 'tally-a');
    expect(metadataOf(events[1]!)).toMatchObject({
      schemaVersion: 1,
      correlationId: 'c1',
      causationId: 'm2',
      actor: { kind: 'service', id: 'test' },
      recordedAt: '2030-01-02T00:00:00.000Z', // The clock went back; the times in the stream do not.
    });
    expect(findBrokenLink(events)).toBeUndefined();
  });

  it('upcasts old versions when it loads a stream', async () => {
    const store = new InMemoryEventStore();
    await handlerOn(store).handle('a', increment('1', 5), context('1'));
    const versions = { Incremented: [(data: unknown) => ({ ...(data as { id: string }), amount: 50 })] };
    const next = { ...tallyAggregate, versions };
    await expect(handlerOn(store, {}, next).handle('a', increment('2', 1), context('2'))).resolves.toMatchObject({
      answer: 51,
    });
    await expect(handlerOn(store, {}, next).handle('a', increment('3', 1), context('3'))).resolves.toMatchObject({
      answer: 52,
    });
    // A release without version 2 must not guess.
    await expect(handlerOn(store).handle('a', increment('4'), context('4'))).rejects.toThrow(
      /version 2 .* unknown to this release/,
    );
  });

  it('executes every command once under any combination of faults, repeats and replicas', async () => {
    const faults = fc.array(fc.constantFrom('before' as const, 'after' as const, undefined), { maxLength: 30 });
    const requests = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 1 })), { maxLength: 60 });
    const firstCommand = fc.constantFrom(undefined, 'Increment');
    await fc.assert(
      fc.asyncProperty(faults, requests, firstCommand, async (plan, list, first) => {
        const store = new FaultyStore();
        store.faults = plan as ('before' | 'after')[];
        const options = { maxAttempts: 50, ...(first && { firstCommand: first }) };
        const replicas = [handlerOn(store, options), handlerOn(store, options)];
        const replies = await Promise.all(
          list.map(([id, replica]) => replicas[replica]!.handle('a', increment(`${id}`), context(`${id}`))),
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

  describe('with a first command', () => {
    const firstCommand = 'Increment';

    it('does not read the stream before it', async () => {
      const store = new InMemoryEventStore();
      const reads = jest.spyOn(store, 'readStream');
      const reply = await handlerOn(store, { firstCommand }).handle('a', increment('1', 5), context('1'));
      expect(reply).toEqual({ ok: true, repeated: false, answer: 5 });
      expect(reads).not.toHaveBeenCalled();
    });

    it('recognizes a repeat, continues an existing stream, and refuses on its state', async () => {
      const store = new InMemoryEventStore();
      await handlerOn(store).handle('a', increment('1', 5), context('1'));
      const decide = (id: string, amount: number): Promise<unknown> =>
        handlerOn(store, { firstCommand }).handle('a', increment(id, amount), context(id));
      expect(await decide('1', 5)).toEqual({ ok: true, repeated: true, answer: 5 });
      expect(await decide('2', 3)).toEqual({ ok: true, repeated: false, answer: 8 });
      expect(await decide('3', tallyLimit - 1)).toMatchObject({ ok: false });
      expect(findBrokenLink(await eventsOf(store, 'tally-a'))).toBeUndefined();
    });

    it('bases a refusal on the store', async () => {
      const store = new InMemoryEventStore();
      const reads = jest.spyOn(store, 'readStream');
      const reply = await handlerOn(store, { firstCommand }).handle('a', increment('1', tallyLimit + 1), context('1'));
      expect(reply).toMatchObject({ ok: false });
      expect(reads).toHaveBeenCalled();
    });
  });

  it('keeps the hash chain valid when two replicas receive the same command concurrently', async () => {
    const store = new InMemoryEventStore();
    const [one, other] = [handlerOn(store), handlerOn(store, { clock: manualClock('2030-01-01T00:00:00.001Z') })];
    const id = '3d6f0f5e-6f0c-4f5e-8a57-0d2f6f0c4f5e';
    const replies = await Promise.all(
      [one, other].map((handler) => handler.handle('a', increment(id, 5), context(id))),
    );
    expect(replies.map((reply) => reply.ok && reply.repeated).sort()).toEqual([false, true]);
    await other.handle('a', increment('2', 5), context('2'));
    await one.handle('a', increment('3', 5), context('3'));
    const events = await eventsOf(store, 'tally-a');
    expect(events).toHaveLength(3);
    expect(findBrokenLink(events)).toBeUndefined();
  });

  describe('reading', () => {
    const total = (state: StateOf<typeof tallyAggregate>): number => state.total;

    it('returns the stored state, or the initial state of an empty stream', async () => {
      const store = new InMemoryEventStore();
      const handler = handlerOn(store);
      expect(await handler.read('a', 1_000, total)).toBe(0);
      await handler.handle('a', increment('1', 5), context('1'));
      expect(await handler.read('a', 1_000, total)).toBe(5);
    });

    it('runs in order with the commands and returns only after they are durable', async () => {
      const store = new FaultyStore();
      store.faults = ['before', 'before'];
      const handler = handlerOn(store, { maxAttempts: 2 });
      const together = [handler.handle('a', increment('1', 5), context('1')), handler.read('a', 1_000, total)];
      for (const outcome of await Promise.allSettled(together)) expect(outcome.status).toBe('rejected');
      expect(await handler.read('a', 1_000, total)).toBe(0);
      const answered = [handler.handle('a', increment('2', 7), context('2')), handler.read('a', 1_000, total)];
      expect((await Promise.all(answered))[1]).toBe(7);
    });

    it('reads the store again only when the cached state is too old', async () => {
      const store = new InMemoryEventStore();
      const clock = manualClock('2030-01-01T00:00:00.000Z');
      const handler = handlerOn(store, { clock });
      await handler.read('a', 1_000, total);
      await handlerOn(store).handle('a', increment('1', 5), context('1'));
      clock.advance(999);
      expect(await handler.read('a', 1_000, total)).toBe(0);
      expect(await handler.read('a', 0, total)).toBe(5);
      await handlerOn(store).handle('a', increment('2', 5), context('2'));
      clock.advance(1_000);
      expect(await handler.read('a', 1_000, total)).toBe(10);
    });

    it('neither makes a command reload an absent stream nor overwrites newer events', async () => {
      const store = new InMemoryEventStore();
      const handler = handlerOn(store);
      await handler.read('a', 1_000, total);
      await handlerOn(store).handle('a', increment('1', 5), context('1'));
      expect(await handler.handle('a', increment('2', 7), context('2'))).toEqual({
        ok: true,
        repeated: false,
        answer: 12,
      });
    });

    it('rejects with the error of the read or of the view', async () => {
      const store = new InMemoryEventStore();
      store.readStream = () => {
        throw new Error('cannot read');
      };
      await expect(handlerOn(store, { maxAttempts: 2 }).read('a', 0, total)).rejects.toThrow('cannot read');
      const view = (): never => {
        throw new Error('view failed');
      };
      await expect(handlerOn(new InMemoryEventStore(), { maxAttempts: 1 }).read('a', 0, view)).rejects.toThrow(
        'view failed',
      );
    });
  });
});
