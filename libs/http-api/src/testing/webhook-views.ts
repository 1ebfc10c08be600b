import { type AccountOwner, type DeliveryView, type Page, WebhookQueries } from '@florin/read-models';
import { type EndpointAnswer, SECRET_VAULT, type SecretVault, type WebhookEvent } from '@florin/webhooks-domain';
import type { InjectionToken } from '@nestjs/common';
import type { RecordedQuery } from './test-views';

/** Webhook read models in memory that record their queries. */
export class WebhookViews {
  endpoints: EndpointAnswer[] = [];
  events: WebhookEvent[] = [];
  deliveries: DeliveryView[] = [];
  readonly queries: RecordedQuery[] = [];
  readonly vault = new TestSecretVault();

  standIns(): ReadonlyMap<InjectionToken, unknown> {
    const queries: Pick<WebhookQueries, keyof WebhookQueries> = {
      endpoints: async (owner) => this.record({ owner }, this.endpoints),
      endpoint: async (owner, id) =>
        this.record(
          { owner },
          this.endpoints.find((endpoint) => endpoint.id === id),
        ),
      events: async (owner, filter, page) => this.record({ owner, filter, page }, cut(this.events, page)),
      event: async (owner, id) =>
        this.record(
          { owner },
          this.events.find((event) => event.id === id),
        ),
      deliveries: async (owner, _id, filter, page) => this.record({ owner, filter, page }, cut(this.deliveries, page)),
    };
    return new Map<InjectionToken, unknown>([
      [WebhookQueries, queries],
      [SECRET_VAULT, this.vault],
    ]);
  }

  clear(): void {
    [this.endpoints, this.events, this.deliveries] = [[], [], []];
    this.queries.length = 0;
    this.vault.secrets.clear();
  }

  private record<Found>(query: RecordedQuery & { readonly owner: AccountOwner }, found: Found): Found {
    const { companyId, environment } = query.owner;
    this.queries.push({ ...query, owner: { companyId, environment } });
    return found;
  }
}

function cut<Row>(rows: readonly Row[], { limit }: Page): readonly Row[] {
  return rows.slice(0, limit);
}

/** Unique secrets in memory. */
export class TestSecretVault implements SecretVault {
  readonly secrets = new Map<string, { readonly endpointId: string; readonly secret: string }>();
  private made = 0;

  async create(endpointId: string, secretId: string): Promise<string> {
    const known = this.secrets.get(secretId);
    if (known !== undefined) return known.secret;
    this.made += 1;
    const secret = `whsec_${this.made}`;
    this.secrets.set(secretId, { endpointId, secret });
    return secret;
  }

  async read(secretIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const known = secretIds.filter((id) => this.secrets.has(id));
    return new Map(known.map((id) => [id, this.secrets.get(id)!.secret]));
  }

  async discard(_endpointId: string, secretId: string): Promise<void> {
    this.secrets.delete(secretId);
  }

  async destroyOld(): Promise<void> {
    // The specs with this vault rotate too rarely.
  }

  async destroy(endpointId: string): Promise<void> {
    for (const [id, entry] of this.secrets) if (entry.endpointId === endpointId) this.secrets.delete(id);
  }
}
