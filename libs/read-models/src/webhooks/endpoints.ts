import { assert } from '@florin/kernel';
import type { PoolClient } from 'pg';
import {
  isReceiving,
  changeEndpoint,
  type EndpointChange,
  type EndpointRow,
  registeredRow,
  saveEndpoints,
} from './endpoint-rows';
import type { EventOwner } from './event-owner';

/** The endpoints concerned by a batch, in their state after each event. */
export class Endpoints {
  private readonly byId = new Map<string, EndpointRow>();
  private readonly byAccount = new Map<string, EndpointRow[]>();
  private readonly changed = new Set<EndpointRow>();

  constructor(rows: Iterable<EndpointRow>) {
    for (const row of rows) this.add(row);
  }

  get(id: string): EndpointRow {
    const row = this.byId.get(id);
    assert(row !== undefined, () => `endpoint ${id} is registered before any other event about it`);
    return row;
  }

  ownerOf(id: string): EventOwner {
    const { company_id: companyId, environment } = this.get(id);
    return { companyId, environment };
  }

  /** The endpoints that receive events. */
  ofAccount(accountId: string): readonly EndpointRow[] {
    return (this.byAccount.get(accountId) ?? []).filter(isReceiving);
  }

  /** Ignores events that the row contains already. */
  apply(event: EndpointChange, { revision, recordedAt }: { revision: number; recordedAt: string }): void {
    const { endpointId } = event.data;
    if (event.type === 'EndpointRegistered') {
      if (!this.byId.has(endpointId)) this.add(registeredRow(event.data, revision));
    } else {
      const row = this.get(endpointId);
      if (row.revision >= revision) return;
      row.revision = revision;
      changeEndpoint(row, event, recordedAt);
    }
    this.changed.add(this.get(endpointId));
  }

  async save(tx: PoolClient): Promise<void> {
    if (this.changed.size > 0) await saveEndpoints(this.changed, tx);
  }

  private add(row: EndpointRow): void {
    this.byId.set(row.id, row);
    const siblings = this.byAccount.get(row.account_id);
    if (siblings === undefined) this.byAccount.set(row.account_id, [row]);
    else siblings.push(row);
  }
}
