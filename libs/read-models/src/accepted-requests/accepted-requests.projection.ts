import { categoryOf, eventCodec, type Projection, type RecordedEvent } from '@florin/event-sourcing';
import { invoiceAggregate, type InvoiceEvent, invoiceEventVersions } from '@florin/invoicing-domain';
import { isDeterministicId, type Json } from '@florin/kernel';
import { cardAggregate, type CardEvent, cardEventVersions, cardStatusAfter } from '@florin/operations-domain';
import {
  acceptedFingerprint,
  endpointAggregate,
  type EndpointEvent,
  endpointEventVersions,
  isAcceptedRequest,
} from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';

export interface AcceptedRequestRow {
  readonly id: string;
  readonly fingerprint: string | null;
  readonly reply: Json;
}

const cardCodec = eventCodec(cardEventVersions);
const invoiceCodec = eventCodec(invoiceEventVersions);
const endpointCodec = eventCodec(endpointEventVersions);

/** The status changes of cards, the requests and cancellations of invoices, and the requests about webhooks. */
const eventTypes: readonly (CardEvent | InvoiceEvent | EndpointEvent)['type'][] = [
  ...(['CardFrozen', 'CardUnfrozen', 'CardClosed', 'InvoiceOpened', 'InvoiceCanceled'] as const),
  ...(['EndpointRegistered', 'EndpointSecretRotated', 'EndpointTested'] as const),
  ...(['RecoveryRequested', 'ResendRequested', 'SampleTriggered'] as const),
];

/**
 * Every accepted request with an `Idempotency-Key`, of aggregates that remember only their newest requests. A request without a
 * key has a random id and is never repeated by a client, so it has no row.
 */
export const acceptedRequestsProjection: Projection<PoolClient> = {
  name: 'accepted-requests',
  categories: [cardAggregate.category, invoiceAggregate.category, endpointAggregate.category],
  eventTypes,
  knownEventTypes: [cardEventVersions, invoiceEventVersions, endpointEventVersions].flatMap(Object.keys),
  project: async (events, tx) => {
    const rows = events.map(acceptedRequestIn).filter((row) => row !== undefined);
    if (rows.length === 0) return;
    const text = `
      INSERT INTO read_models.accepted_requests (id, fingerprint, reply)
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::jsonb[])
      ON CONFLICT (id) DO NOTHING`;
    const replies = rows.map(({ reply }) => (reply === null ? null : JSON.stringify(reply)));
    const values = [rows.map(({ id }) => id), rows.map(({ fingerprint }) => fingerprint), replies];
    await tx.query({ name: 'insert-accepted-requests', text, values });
  },
};

export function acceptedRequestIn(recorded: RecordedEvent): AcceptedRequestRow | undefined {
  const row = acceptedIn(recorded);
  return row !== undefined && isDeterministicId(row.id) ? row : undefined;
}

function acceptedIn(recorded: RecordedEvent): AcceptedRequestRow | undefined {
  switch (categoryOf(recorded.stream)) {
    case cardAggregate.category:
      return rowOfCard(cardCodec.decode(recorded).event);
    case invoiceAggregate.category:
      return rowOfInvoice(invoiceCodec.decode(recorded).event);
    default:
      return rowOfEndpoint(endpointCodec.decode(recorded).event);
  }
}

/** The response is the invoice as it was then. Its expiry changes when the invoice is canceled. */
function rowOfInvoice({ type, data }: InvoiceEvent): AcceptedRequestRow | undefined {
  switch (type) {
    case 'InvoiceOpened':
      return { id: data.invoiceId, fingerprint: data.fingerprint, reply: { expiresAt: data.expiresAt } };
    case 'InvoiceCanceled':
      return { id: data.requestId, fingerprint: null, reply: { expiresAt: data.expiresAt } };
    default:
      return undefined;
  }
}

/** The card itself remembers the requests of old events, which have no balance. */
function rowOfCard({ type, data }: CardEvent): AcceptedRequestRow | undefined {
  if (type === 'CardChanged' || !('requestId' in data)) return undefined;
  const { requestId: id, requestedAt, after } = data;
  if (after === undefined) return undefined;
  // In the first release, `balance` was what is `available` now.
  const { available, balance = available } = after;
  const status = 'status' in data ? data.status : cardStatusAfter[type as keyof typeof cardStatusAfter];
  const time = requestedAt === undefined ? {} : { updatedAt: requestedAt };
  return { id, fingerprint: null, reply: { status, balance, available, ...time } };
}

function rowOfEndpoint(event: EndpointEvent): AcceptedRequestRow | undefined {
  if (event.type === 'EndpointRegistered') {
    const { requestId: id, fingerprint } = event.data;
    return { id, fingerprint, reply: null };
  }
  if (!isAcceptedRequest(event) || event.data.requestId === undefined) return undefined;
  return { id: event.data.requestId, fingerprint: acceptedFingerprint(event), reply: null };
}
