import { assertNever } from '@florin/kernel';
import {
  type DisableReason,
  type EndpointAnswer,
  type EndpointEvent,
  type EndpointRegistered,
  type EndpointStatus,
  maxSigningSecrets,
  testEventType,
  type WebhookEvent,
  type WebhookEventType,
} from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { upsertRows } from '../companies/upsert-rows';
import { withoutNulls } from '../without-nulls';

/** A row with the column names of the table. */
export interface EndpointRow {
  readonly id: string;
  readonly account_id: string;
  readonly company_id: string;
  readonly environment: 'sandbox' | 'live';
  url: string;
  /** Null: all types. */
  events: readonly WebhookEventType[] | null;
  description: string | null;
  status: EndpointStatus;
  disabled_reason: DisableReason | null;
  /** The newest first, which is valid without limit. */
  secrets: readonly { readonly id: string; readonly until: string | null }[];
  readonly created_at: string;
  deleted: boolean;
  revision: number;
}

/** An event that changes an endpoint. */
export type EndpointChange = Exclude<
  EndpointEvent,
  { type: 'EndpointTested' | 'RecoveryRequested' | 'ResendRequested' | 'SampleTriggered' }
>;

const changes: readonly EndpointEvent['type'][] = [
  ...(['EndpointRegistered', 'EndpointUpdated', 'EndpointEnabled', 'EndpointDisabled'] as const),
  ...(['EndpointSecretRotated', 'EndpointDeleted'] as const),
];

export function isEndpointChange(event: EndpointEvent): event is EndpointChange {
  return changes.includes(event.type);
}

/** The endpoints of the accounts that are not deleted, and the endpoints with the given ids. */
export async function loadEndpoints(
  accountIds: Iterable<string>,
  endpointIds: readonly string[],
  tx: PoolClient,
): Promise<readonly EndpointRow[]> {
  // As JSON, so that times are text as in the events.
  const text = `
    SELECT to_json(endpoints) AS row FROM webhooks.endpoints
    WHERE (account_id = ANY($1) AND NOT deleted) OR id = ANY($2::uuid[])`;
  const values = [[...accountIds], endpointIds];
  const { rows } = await tx.query<{ row: EndpointRow }>({ name: 'load-webhook-endpoints', text, values });
  return rows.map(({ row }) => row);
}

export function registeredRow(data: EndpointRegistered['data'], revision: number): EndpointRow {
  return {
    id: data.endpointId,
    account_id: data.accountId,
    company_id: data.companyId,
    environment: data.environment,
    url: data.url,
    events: data.events ?? null,
    description: data.description ?? null,
    status: 'enabled',
    disabled_reason: null,
    secrets: [{ id: data.secretId, until: null }],
    created_at: data.createdAt,
    deleted: false,
    revision,
  };
}

export function changeEndpoint(
  row: EndpointRow,
  { type, data }: Exclude<EndpointChange, EndpointRegistered>,
  now: string,
): void {
  switch (type) {
    case 'EndpointUpdated':
      row.url = data.url;
      row.events = data.events ?? null;
      row.description = data.description ?? null;
      return;
    case 'EndpointEnabled':
      row.status = 'enabled';
      row.disabled_reason = null;
      return;
    case 'EndpointDisabled':
      row.status = 'disabled';
      row.disabled_reason = data.reason;
      return;
    case 'EndpointSecretRotated': {
      const before = row.secrets.map(({ id, until }) => ({ id, until: until ?? data.overlapUntil }));
      const stillValid = before.filter(({ until }) => until > now);
      row.secrets = [{ id: data.secretId, until: null }, ...stillValid].slice(0, maxSigningSecrets);
      return;
    }
    case 'EndpointDeleted':
      row.deleted = true;
      return;
    default:
      assertNever(type);
  }
}

export function isReceiving({ deleted, status }: EndpointRow): boolean {
  return !deleted && status === 'enabled';
}

/** A test is sent to one endpoint only, regardless of its subscription. */
export function isSubscribedTo(endpoint: EndpointRow, type: WebhookEvent['type'], objectId: string): boolean {
  if (type === testEventType) return endpoint.id === objectId;
  return endpoint.events === null || endpoint.events.includes(type);
}

export type EndpointColumns = Pick<
  EndpointRow,
  'id' | 'url' | 'events' | 'description' | 'status' | 'disabled_reason'
> & {
  readonly created_at: string | Date;
};

/** The endpoint as in the API. */
export function endpointView(row: EndpointColumns): EndpointAnswer {
  const { id, url, events, description, status, disabled_reason: disabledReason } = row;
  const createdAt = new Date(row.created_at).toISOString();
  return withoutNulls({ id, url, events, description, status, disabledReason, createdAt });
}

export const saveEndpoints = upsertRows<EndpointRow>('webhooks.endpoints', 'id', [
  ...(['id', 'account_id', 'company_id', 'environment', 'url', 'events', 'description', 'status'] as const),
  ...(['disabled_reason', 'secrets', 'created_at', 'deleted', 'revision'] as const),
]);
