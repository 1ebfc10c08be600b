import type { WebhookEvent } from '@florin/webhooks-domain';
import type { FlorinClient } from './florin-client';

interface EventPage {
  readonly data: readonly WebhookEvent[];
  readonly nextCursor?: string;
}

/** Clocks of replicas differ: an event can appear with an earlier time than one that was already read. */
const overlapMs = 30_000;

/** Polls the events of a company. Returns each event once, in the order in which they happened. */
export class EventFeed {
  /** The creation times of returned events, for as long as a later poll can find them again. */
  private readonly returned = new Map<string, string>();
  private newest?: string;

  constructor(private readonly api: FlorinClient) {}

  /** Skips all events that already exist. */
  async skipExisting(): Promise<void> {
    const { data } = await this.page({ limit: '1' });
    this.newest = data[0]?.createdAt;
    if (this.newest !== undefined) await this.next();
  }

  async next(): Promise<readonly WebhookEvent[]> {
    const since = this.newest && new Date(Date.parse(this.newest) - overlapMs).toISOString();
    const found = await this.allSince(since);
    const unseen = found.filter(({ id }) => !this.returned.has(id)).sort(byTimeAndVersion);
    for (const { id, createdAt } of unseen) this.remember(id, createdAt);
    for (const [id, createdAt] of this.returned) if (since !== undefined && createdAt < since) this.returned.delete(id);
    return unseen;
  }

  private remember(id: string, createdAt: string): void {
    this.returned.set(id, createdAt);
    if (this.newest === undefined || createdAt > this.newest) this.newest = createdAt;
  }

  private async allSince(createdFrom: string | undefined): Promise<readonly WebhookEvent[]> {
    const query = { limit: '100', ...(createdFrom !== undefined && { createdFrom }) };
    const found: WebhookEvent[] = [];
    let cursor: string | undefined;
    do {
      const page: EventPage = await this.page({ ...query, ...(cursor !== undefined && { cursor }) });
      found.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return found;
  }

  private page(query: Record<string, string>): Promise<EventPage> {
    return this.api.get<EventPage>(`/events?${new URLSearchParams(query).toString()}`);
  }
}

function byTimeAndVersion(a: WebhookEvent, b: WebhookEvent): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.objectVersion - b.objectVersion;
}
