import type { WebhookEvent } from '@florin/webhooks-domain';
import type { FlorinClient } from './florin-client';

interface EventPage {
  readonly data: readonly WebhookEvent[];
  readonly nextCursor?: string;
}

/** Clocks of replicas differ, so an event can turn up a little behind one that is already known. */
const overlapMs = 30_000;

/** The events of a company as they come, each once and in the order in which they happened. */
export class EventFeed {
  /** When those that are known happened, as long as they could be found again. */
  private readonly known = new Map<string, string>();
  private newest?: string;

  constructor(private readonly api: FlorinClient) {}

  /** What has happened until now is of no interest. */
  async skipThePast(): Promise<void> {
    const { data } = await this.page({ limit: '1' });
    this.newest = data[0]?.createdAt;
    if (this.newest !== undefined) await this.next();
  }

  async next(): Promise<readonly WebhookEvent[]> {
    const since = this.newest && new Date(Date.parse(this.newest) - overlapMs).toISOString();
    const found = await this.allSince(since);
    const fresh = found.filter(({ id }) => !this.known.has(id)).sort(inOrder);
    for (const { id, createdAt } of fresh) this.remember(id, createdAt);
    for (const [id, createdAt] of this.known) if (since !== undefined && createdAt < since) this.known.delete(id);
    return fresh;
  }

  private remember(id: string, createdAt: string): void {
    this.known.set(id, createdAt);
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

function inOrder(a: WebhookEvent, b: WebhookEvent): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.objectVersion - b.objectVersion;
}
