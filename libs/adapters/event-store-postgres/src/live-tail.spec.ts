import type { EventPage, Position, RecordedEvent } from '@florin/event-sourcing';
import { LiveTail } from './live-tail';

function event(position: number, stream = 'account-1'): RecordedEvent {
  return {
    id: `id-${position}`,
    type: 'T',
    data: '{}',
    metadata: '{}',
    stream,
    revision: 0,
    position: BigInt(position),
  };
}

function events(from: number, to: number): RecordedEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => event(from + index));
}

const positionsOf = (page: EventPage | undefined): number[] | undefined =>
  page?.events.map(({ position }) => Number(position));

describe('LiveTail', () => {
  let readAfter: Position[];
  let stored: RecordedEvent[];
  let tail: LiveTail;
  const never = new AbortController().signal;

  beforeEach(() => {
    readAfter = [];
    stored = [];
    const read = async (after: Position): Promise<EventPage> => {
      readAfter.push(after);
      const rest = stored.filter(({ position }) => position > after);
      return { events: rest, readTo: rest.at(-1)?.position ?? after, isLast: true };
    };
    tail = new LiveTail({ read, maxEvents: 10, maxCharacters: 1_000 });
  });

  it('holds nothing before a subscription has caught up', () => {
    tail.extend(events(1, 3));
    expect(tail.covers(0n)).toBe(false);
    expect(tail.page(0n, 10, undefined)).toBeUndefined();
  });

  it('reads events that were announced before the first subscription followed', async () => {
    stored = events(1, 2);
    tail.announce(2n);
    tail.follow(1n);
    await tail.waitForEvents(1n, never);
    expect(positionsOf(tail.page(1n, 10, undefined))).toEqual([2]);
  });

  it('returns appended events from any position it covers', () => {
    tail.follow(5n);
    tail.extend(events(6, 7));
    tail.extend(events(8, 8));
    expect(positionsOf(tail.page(5n, 10, undefined))).toEqual([6, 7, 8]);
    expect(positionsOf(tail.page(6n, 10, undefined))).toEqual([7, 8]);
    expect(positionsOf(tail.page(5n, 2, undefined))).toEqual([6, 7]);
    expect(tail.page(8n, 10, undefined)).toBeUndefined();
    expect([4n, 5n, 8n, 9n].map((after) => tail.covers(after))).toEqual([false, true, true, true]);
  });

  it('reads past events of other categories', () => {
    tail.follow(0n);
    tail.extend([event(1, 'account-1'), event(2, 'invoice-1'), event(3, 'account-2'), event(4, 'invoice-2')]);
    const page = tail.page(0n, 1, ['account']);
    expect([positionsOf(page), page?.readTo]).toEqual([[1], 1n]);
    expect(tail.page(3n, 5, ['account'])).toEqual({ events: [], readTo: 4n, isLast: true });
  });

  it('buffers out-of-order batches until the gap is filled', () => {
    tail.follow(0n);
    tail.extend(events(4, 6));
    tail.extend(events(7, 7));
    expect(tail.page(0n, 10, undefined)).toBeUndefined();
    tail.extend(events(1, 3));
    expect(positionsOf(tail.page(0n, 10, undefined))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('adds only the unknown part of a partially known batch', () => {
    tail.follow(0n);
    tail.extend(events(1, 3));
    tail.extend(events(2, 5));
    tail.extend(events(1, 4));
    expect(positionsOf(tail.page(0n, 10, undefined))).toEqual([1, 2, 3, 4, 5]);
  });

  it('reads events of other writers once, up to the announced head', async () => {
    tail.follow(1n);
    stored = events(1, 4);
    tail.announce(3n);
    tail.announce(4n);
    await tail.waitForEvents(1n, never);
    expect(positionsOf(tail.page(1n, 10, undefined))).toEqual([2, 3, 4]);
    expect(readAfter).toEqual([1n]);
  });

  it('continues reading while an out-of-order own batch extends further', async () => {
    tail.follow(0n);
    tail.extend(events(3, 6));
    stored = events(1, 4);
    tail.announce(2n);
    await tail.waitForEvents(0n, never);
    stored = events(1, 6);
    await tail.waitForEvents(4n, never);
    expect(positionsOf(tail.page(0n, 10, undefined))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('drops the oldest events when it holds too many events or too much text', () => {
    tail.follow(0n);
    for (let position = 1; position <= 12; position++) tail.extend(events(position, position));
    expect([1n, 2n].map((after) => tail.covers(after))).toEqual([false, true]);
    tail.extend([{ ...event(13), data: 'x'.repeat(990) }]);
    expect([9n, 10n].map((after) => tail.covers(after))).toEqual([false, true]);
    tail.extend([{ ...event(14), data: 'x'.repeat(2_000) }]);
    expect([13n, 14n].map((after) => tail.covers(after))).toEqual([false, true]);
  });

  it('wakes waiting subscriptions on an event, an error, or an abort', async () => {
    tail.follow(0n);
    const moved = tail.waitForEvents(0n, never);
    tail.extend(events(1, 1));
    await moved;
    const failed = tail.waitForEvents(1n, never);
    tail.fail(new Error('connection lost'));
    await expect(failed).rejects.toThrow('connection lost');
    const controller = new AbortController();
    const aborted = tail.waitForEvents(1n, controller.signal);
    controller.abort();
    await aborted;
    await tail.waitForEvents(1n, controller.signal);
  });

  it('rejects waiting subscriptions when the store cannot be read', async () => {
    const broken = new LiveTail({ read: () => Promise.reject(new Error('no')), maxEvents: 10, maxCharacters: 10 });
    broken.follow(0n);
    const waiting = broken.waitForEvents(0n, never);
    broken.announce(1n);
    await expect(waiting).rejects.toThrow('no');
  });
});
