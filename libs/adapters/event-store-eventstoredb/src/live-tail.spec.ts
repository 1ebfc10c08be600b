import { type RecordedEvent } from '@florin/event-sourcing';
import { newEvent, noBackoff } from '@florin/event-sourcing/testing';
import { SubscriptionDropped } from './append-failures';
import { LiveTail, type LiveTailOptions, type TailHandlers } from './live-tail';

function eventAt(position: bigint, stream = 'account-1'): RecordedEvent {
  return { ...newEvent({ data: '0123456789', metadata: '' }), stream, revision: 0, position };
}

/** A server whose subscriptions the test controls. */
function controlledTail(options: Partial<LiveTailOptions> = {}) {
  const opened: { after: bigint; handlers: TailHandlers; fail: (error: Error) => void }[] = [];
  const tail = new LiveTail({
    maxEvents: 100,
    maxCharacters: 10_000,
    reconnects: 1,
    backoff: noBackoff,
    onPassed: () => undefined,
    isTransient: (error) =>
      error instanceof SubscriptionDropped || (error instanceof Error && error.message === 'broken'),
    subscribe: (after, handlers, signal) =>
      new Promise((resolve, reject) => {
        opened.push({ after, handlers, fail: reject });
        signal.addEventListener('abort', () => resolve());
      }),
    ...options,
  });
  return { tail, opened };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

describe('LiveTail', () => {
  it('reports with a checkpoint of the server which event is the newest up to there', () => {
    const passed: [bigint, bigint][] = [];
    const { tail, opened } = controlledTail({ onPassed: (to, newest) => passed.push([to, newest]) });
    tail.follow(500n);
    opened[0]!.handlers.onCheckpoint(600n);
    opened[0]!.handlers.onEvent(eventAt(700n));
    opened[0]!.handlers.onCheckpoint(800n);
    expect(passed).toEqual([
      [600n, 500n],
      [800n, 700n],
    ]);
  });

  it('follows from the given position and covers everything after it', () => {
    const { tail, opened } = controlledTail();
    expect(tail.covers(500n)).toBe(false);
    tail.follow(500n);
    tail.follow(900n);
    expect(opened.map(({ after }) => after)).toEqual([500n]);
    expect([tail.covers(499n), tail.covers(500n), tail.covers(900n)]).toEqual([false, true, true]);
  });

  it('returns pages of the requested categories that extend over the others', () => {
    const { tail, opened } = controlledTail();
    tail.follow(0n);
    const events = [eventAt(10n), eventAt(25n, 'card-1'), eventAt(40n), eventAt(55n, 'card-1')];
    events.forEach(opened[0]!.handlers.onEvent);
    expect(tail.page(0n, 10, ['account'])).toEqual({ events: [events[0], events[2]], readTo: 55n, isLast: true });
    expect(tail.page(0n, 1, ['account'])).toEqual({ events: [events[0]], readTo: 10n, isLast: false });
    expect(tail.page(25n, 10, undefined)).toEqual({ events: [events[2], events[3]], readTo: 55n, isLast: true });
    expect(tail.page(30n, 10, ['nobody'])).toEqual({ events: [], readTo: 55n, isLast: true });
    expect(tail.page(55n, 10, undefined)).toBeUndefined();
  });

  it.each([{ maxEvents: 8 }, { maxCharacters: 80 }])(
    'drops the oldest events beyond %p and no longer covers them',
    (limit) => {
      const { tail, opened } = controlledTail(limit);
      tail.follow(0n);
      for (let n = 1n; n <= 9n; n++) opened[0]!.handlers.onEvent(eventAt(n));
      expect([tail.covers(2n), tail.covers(3n)]).toEqual([false, true]);
      expect(tail.page(3n, 10, undefined)).toMatchObject({ readTo: 9n, events: { length: 6 } });
    },
  );

  it('wakes waiting subscriptions once for all events of a turn', async () => {
    const { tail, opened } = controlledTail();
    tail.follow(0n);
    const moved = tail.waitForEvents(0n, never);
    opened[0]!.handlers.onEvent(eventAt(1n));
    opened[0]!.handlers.onEvent(eventAt(2n));
    await moved;
    expect(tail.page(0n, 10, undefined)?.readTo).toBe(2n);
  });

  it('renews a broken subscription after the last event and drops duplicates', async () => {
    const { tail, opened } = controlledTail();
    tail.follow(0n);
    const waiting = tail.waitForEvents(7n, never);
    opened[0]!.handlers.onEvent(eventAt(7n));
    opened[0]!.fail(new Error('broken'));
    await endOfTurn();
    expect(opened[1]?.after).toBe(7n);
    for (const position of [7n, 9n, 9n]) opened[1]!.handlers.onEvent(eventAt(position));
    await waiting;
    expect(tail.page(0n, 10, undefined)?.events.map(({ position }) => position)).toEqual([7n, 9n]);
  });

  it('tolerates any number of breaks as long as each reconnect succeeds', async () => {
    const { tail, opened } = controlledTail();
    tail.follow(0n);
    for (let round = 0; round < 5; round++) {
      opened[round]!.handlers.onOpen();
      opened[round]!.fail(new Error('broken'));
      await endOfTurn();
    }
    expect(opened).toHaveLength(6);
    expect(tail.covers(0n)).toBe(true);
  });

  it('rejects waiting subscriptions when reconnecting fails, and can then start at another position', async () => {
    const { tail, opened } = controlledTail();
    tail.follow(0n);
    const waiting = tail.waitForEvents(0n, never);
    opened[0]!.fail(new Error('broken'));
    await endOfTurn();
    opened[1]!.fail(new Error('broken'));
    await expect(waiting).rejects.toThrow('broken');
    expect(tail.covers(0n)).toBe(false);
    tail.follow(50n);
    expect(opened[2]?.after).toBe(50n);
    expect(tail.covers(49n)).toBe(false);
  });

  it('does not retry a permanent failure', async () => {
    const { tail, opened } = controlledTail();
    tail.follow(0n);
    const waiting = tail.waitForEvents(0n, never);
    opened[0]!.fail(new Error('poison'));
    await expect(waiting).rejects.toThrow('poison');
    expect(opened).toHaveLength(1);
  });

  it('releases waiting subscriptions when they are aborted or it is closed', async () => {
    const { tail } = controlledTail();
    tail.follow(0n);
    const controller = new AbortController();
    const [aborted, closed] = [tail.waitForEvents(0n, controller.signal), tail.waitForEvents(0n, never)];
    controller.abort();
    await aborted;
    const rejection = expect(closed).rejects.toThrow('closed');
    await tail.close();
    await rejection;
  });

  it('continues at once after a dropped subscription, unless it has received nothing', async () => {
    const waits: number[] = [];
    const { tail, opened } = controlledTail({ backoff: { wait: async (failures) => void waits.push(failures) } });
    tail.follow(0n);
    for (const position of [10n, 20n, 30n]) {
      opened.at(-1)!.handlers.onEvent(eventAt(position));
      opened.at(-1)!.fail(new SubscriptionDropped());
      await endOfTurn();
    }
    expect(opened.map(({ after }) => after)).toEqual([0n, 10n, 20n, 30n]);
    expect(waits).toEqual([]);
    const waiting = tail.waitForEvents(30n, never);
    const isRejected = expect(waiting).rejects.toThrow(SubscriptionDropped);
    opened.at(-1)!.fail(new SubscriptionDropped());
    await endOfTurn();
    opened.at(-1)!.fail(new SubscriptionDropped());
    await isRejected;
    expect(waits).toEqual([1]);
  });
});
