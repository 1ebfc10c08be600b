import { type EventStore, type EventToAppend, noStream, RevisionConflict } from '../ports/event-store.port';
import type { StorePair } from './event-store-under-test';
import { idsOf, newEvent, newEvents, newStream, wholeStream } from './event-store-probe';

export function appendContract(stores: () => StorePair): void {
  let store: EventStore;
  let another: EventStore;
  beforeAll(() => ({ store, another } = stores()));

  async function given(...events: EventToAppend[]): Promise<string> {
    const stream = newStream();
    await store.append(stream, noStream, events);
    return stream;
  }

  async function expectConflict(stream: string, expectedRevision: number, events: EventToAppend[]): Promise<void> {
    const before = await wholeStream(store, stream);
    const rejection: unknown = await store.append(stream, expectedRevision, events).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(RevisionConflict);
    expect(rejection).toMatchObject({ stream, expectedRevision });
    expect(await wholeStream(store, stream)).toEqual(before);
  }

  it('numbers the events of a stream from 0 and returns them unchanged', async () => {
    const stream = newStream();
    const [first, second, third] = [newEvent({ type: 'A' }), newEvent({ type: 'B' }), newEvent({ type: 'C' })];
    await store.append(stream, noStream, [first, second]);
    await store.append(stream, 1, [third]);
    expect(await wholeStream(store, stream)).toMatchObject([
      { ...first, stream, revision: 0 },
      { ...second, stream, revision: 1 },
      { ...third, stream, revision: 2 },
    ]);
  });

  it.each([
    ['unicode', '{"name":"Žofie 👩‍👩‍👧 \u2028 \u00e9 e\u0301 日本"}'],
    ['quotes and backslashes', String.raw`{"text":"\"C:\\temp\\'$1'\" \u0000 \ud83d"}`],
    ['white space', '{\n\t"a" :\r\n 1.0 ,  "b":[ ]\n}\n'],
    ['the order and repetition of keys, and numbers as written', '{"b":1.10,"a":1e2,"b":12345678901234567890}'],
    ['text that resembles a database array or null', '{"a":"{NULL,\\\\N,\\"x\\"}"}'],
    ['100 KiB', JSON.stringify({ text: 'Aé👩'.repeat(100 * 128) })],
    ['an empty text', ''],
  ])('keeps data byte for byte: %s', async (_what, text) => {
    const event = newEvent({ data: text });
    expect(await wholeStream(another, await given(event))).toMatchObject([event]);
  });

  it.each([
    ['unicode', { name: 'Žofie 👩‍👩‍👧 \u2028 \u00e9 e\u0301 日本' }],
    ['quotes and backslashes', { text: String.raw`"C:\\temp\\'$1'" \u0000` }],
    ['an unpaired surrogate and control characters', { text: '\ud83d \u0000 \t' }],
    ['the order of keys, and numbers', { b: 1.1, a: 1e21, 2: -0.5, 1: [0, null, true], __proto__: {} }],
    ['text that resembles a database array or null', { a: '{NULL,\\N,"x"}' }],
    ['100 KiB', { text: 'Aé👩'.repeat(100 * 128) }],
  ])('keeps metadata that JSON.stringify returned byte for byte: %s', async (_what, value) => {
    const event = newEvent({ metadata: JSON.stringify(value) });
    expect(await wholeStream(another, await given(event))).toMatchObject([event]);
  });

  it('keeps the names of streams and types byte for byte', async () => {
    const stream = `${newStream()}-"{it's}" \\ 🏦`;
    const event = newEvent({ type: `Ünusual "type", {it's} \\` });
    await store.append(stream, noStream, [event]);
    expect(await wholeStream(another, stream)).toMatchObject([{ ...event, stream }]);
  });

  it('stores an append larger than any batch', async () => {
    const events = newEvents(1_500);
    const stream = await given(...events);
    const stored = await wholeStream(store, stream);
    expect(idsOf(stored)).toEqual(idsOf(events));
    expect(stored.at(-1)?.revision).toBe(1_499);
  });

  it('shows a finished append to every other process immediately', async () => {
    const event = newEvent();
    const stream = await given(event);
    expect(idsOf(await wholeStream(another, stream))).toEqual([event.id]);
    expect(await another.head()).toBe((await wholeStream(store, stream))[0]?.position);
  });

  it('does nothing without events', async () => {
    const stream = newStream();
    const head = await store.head();
    await store.append(stream, 7, []);
    expect(await wholeStream(store, stream)).toEqual([]);
    expect(await store.head()).toBe(head);
  });

  describe('at another revision than expected', () => {
    it.each([0, 1, 17])('rejects a missing stream that is expected at %i', async (expected) => {
      await expectConflict(newStream(), expected, [newEvent()]);
    });
    it('rejects the start of an existing stream', async () => {
      await expectConflict(await given(newEvent()), noStream, [newEvent()]);
    });
    it.each([noStream, 0, 1, 3, 4, 1_000])('rejects %i when the stream is at 2', async (expected) => {
      await expectConflict(await given(...newEvents(3)), expected, [newEvent()]);
    });
    it('rejects an append after another process has written', async () => {
      const stream = await given(newEvent());
      await another.append(stream, 0, [newEvent()]);
      await expectConflict(stream, 0, [newEvent()]);
    });
    it('rejects a future revision, even after a correct one', async () => {
      const stream = await given(newEvent());
      await store.append(stream, 0, [newEvent()]);
      await expectConflict(stream, 2, [newEvent()]);
      await store.append(stream, 1, [newEvent()]);
    });
    it('writes none of the events', async () => {
      await expectConflict(await given(newEvent()), noStream, newEvents(5));
    });
  });

  describe('repeated', () => {
    it('succeeds and writes nothing', async () => {
      const events = newEvents(3);
      const stream = await given(...events);
      const stored = await wholeStream(store, stream);
      const head = await store.head();
      await store.append(stream, noStream, events);
      await another.append(stream, noStream, events);
      expect(await wholeStream(store, stream)).toEqual(stored);
      expect(await store.head()).toBe(head);
    });
    it('also succeeds when other events follow, at the start and in the middle of the stream', async () => {
      const [a, b, c, d] = [newEvent(), newEvent(), newEvent(), newEvent()];
      const stream = await given(a, b, c);
      await store.append(stream, 2, [d]);
      await store.append(stream, noStream, [a, b]);
      await store.append(stream, 0, [b, c]);
      expect(idsOf(await wholeStream(store, stream))).toEqual(idsOf([a, b, c, d]));
    });
    it('is a conflict when only the first events exist', async () => {
      const [a, b, c] = [newEvent(), newEvent(), newEvent()];
      await expectConflict(await given(a, b), noStream, [a, b, c]);
    });
    it('is a conflict when only the last events exist', async () => {
      const [a, b] = [newEvent(), newEvent()];
      await expectConflict(await given(a, b), noStream, [newEvent(), b]);
    });
    it('is a conflict in another order', async () => {
      const [a, b] = [newEvent(), newEvent()];
      await expectConflict(await given(a, b), noStream, [b, a]);
    });
    it('is a conflict when the events do not directly follow the expected revision', async () => {
      const [a, b] = [newEvent(), newEvent()];
      await expectConflict(await given(newEvent(), a, b), noStream, [a, b]);
    });
    it('writes once when both arrive concurrently from different processes', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const twice = Array.from({ length: 8 }, (_, n) => (n % 2 ? store : another).append(stream, noStream, events));
      await Promise.all(twice);
      expect(idsOf(await wholeStream(store, stream))).toEqual(idsOf(events));
    });
  });

  describe('in a race', () => {
    it('lets exactly one of many succeed, with all its events', async () => {
      const stream = await given(newEvent());
      const rivals = Array.from({ length: 24 }, () => newEvents(3));
      const outcomes = await Promise.allSettled(
        rivals.map((events, n) => (n % 2 ? store : another).append(stream, 0, events)),
      );
      const winners = rivals.filter((_, n) => outcomes[n]?.status === 'fulfilled');
      const reasons = outcomes
        .filter((outcome) => outcome.status === 'rejected')
        .map((outcome) => outcome.reason as unknown);
      expect(winners).toHaveLength(1);
      expect(reasons.every((reason) => reason instanceof RevisionConflict)).toBe(true);
      expect(idsOf((await wholeStream(store, stream)).slice(1))).toEqual(idsOf(winners[0]!));
    });

    it('does not affect concurrent appends when others conflict or repeat', async () => {
      const once = newEvent();
      const taken = Array.from({ length: 10 }, () => newStream());
      await Promise.all(taken.map((stream) => another.append(stream, noStream, [once])));
      const free = Array.from({ length: 40 }, () => newStream());
      const outcomes = await Promise.allSettled([
        ...free.slice(0, 20).map((stream) => store.append(stream, noStream, newEvents(2))),
        ...taken.slice(0, 5).map((stream) => store.append(stream, noStream, [newEvent()])),
        ...taken.slice(5).map((stream) => store.append(stream, noStream, [once])),
        ...taken.map((stream) => store.append(stream, 5, [newEvent()])),
        ...free.slice(20).map((stream) => store.append(stream, noStream, newEvents(2))),
      ]);
      const failed = outcomes.flatMap((outcome, n) => (outcome.status === 'rejected' ? [n] : []));
      expect(failed).toEqual([20, 21, 22, 23, 24, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
      for (const stream of free) expect(await wholeStream(store, stream)).toHaveLength(2);
      for (const stream of taken) expect(idsOf(await wholeStream(store, stream))).toEqual([once.id]);
    });

    it('adds one event per success for writers that retry on conflicts', async () => {
      const stream = await given(newEvent());
      const write = async (door: EventStore): Promise<void> => {
        for (let written = 0; written < 5;) {
          const revision = (await wholeStream(door, stream)).length - 1;
          const outcome = await door.append(stream, revision, [newEvent()]).catch((error: unknown) => error);
          if (outcome === undefined) written += 1;
          else expect(outcome).toBeInstanceOf(RevisionConflict);
        }
      };
      await Promise.all([write(store), write(another), write(store), write(another)]);
      const revisions = (await wholeStream(store, stream)).map((event) => event.revision);
      expect(revisions).toEqual(Array.from({ length: 21 }, (_, n) => n));
    });
  });
}
