import { randomId } from '@florin/kernel';
import type { AllEventsQuery, EventPage, EventStore, EventToAppend, RecordedEvent } from '../ports/event-store.port';

export function newEvent(parts: Partial<EventToAppend> = {}): EventToAppend {
  return { id: randomId(), type: 'SomethingHappened', data: '{"some":"thing"}', metadata: '{"by":"a test"}', ...parts };
}

export function newEvents(count: number, parts: Partial<EventToAppend> = {}): EventToAppend[] {
  return Array.from({ length: count }, () => newEvent(parts));
}

/** A category that no other test uses, so that tests can share one store. It has no hyphen. */
export function newCategory(): string {
  return `c${randomId().replaceAll('-', '')}`;
}

export function newStream(category = newCategory()): string {
  return `${category}-${randomId()}`;
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map((event) => event.id);
}

export async function wholeStream(store: EventStore, stream: string, fromRevision?: number): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of store.readStream(stream, fromRevision)) events.push(...page);
  return events;
}

/** Pages through the global order up to its current end. */
export async function pagesOf(store: EventStore, query: AllEventsQuery): Promise<EventPage[]> {
  const pages: EventPage[] = [];
  for (let after = query.after; ;) {
    const page = await store.readAll({ ...query, after });
    if (page.readTo === after) return pages;
    pages.push(page);
    after = page.readTo;
  }
}

export async function allEvents(store: EventStore, query: AllEventsQuery): Promise<RecordedEvent[]> {
  return (await pagesOf(store, query)).flatMap((page) => page.events);
}

/** Runs a subscription and collects its events. */
export class Follower {
  readonly pages: EventPage[] = [];
  private readonly controller = new AbortController();
  private readonly following: Promise<void>;
  private wake: () => void = () => undefined;

  constructor(store: EventStore, query: AllEventsQuery) {
    this.following = this.follow(store.subscribe(query, this.controller.signal));
  }

  get events(): RecordedEvent[] {
    return this.pages.flatMap((page) => page.events);
  }

  /** Waits until the delivered events satisfy the condition; fails when the subscription fails before. */
  async until(condition: (follower: Follower) => boolean): Promise<void> {
    while (!condition(this)) {
      const moved = new Promise<void>((resolve) => (this.wake = resolve));
      await Promise.race([moved, this.following.then(endedTooEarly)]);
    }
  }

  async untilEvents(count: number): Promise<RecordedEvent[]> {
    await this.until((follower) => follower.events.length >= count);
    return this.events;
  }

  async stop(): Promise<void> {
    this.controller.abort();
    await this.following;
  }

  private async follow(pages: AsyncIterable<EventPage>): Promise<void> {
    for await (const page of pages) {
      this.pages.push(page);
      this.wake();
    }
  }
}

function endedTooEarly(): never {
  throw new Error('The subscription ended without an abort');
}
