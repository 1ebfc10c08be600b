import type { InvoiceEvent } from '@florin/invoicing-domain';
import type { CardEvent, HolderEvent, OperationEvent, OperationObject } from '@florin/operations-domain';
import {
  type CardObject,
  deriveCard,
  type Derived,
  deriveHolder,
  deriveInvoice,
  deriveOperation,
  deriveTransaction,
  type EndpointEvent,
  type HolderObject,
  type ObjectKind,
  requestedEventId,
  sampleObject,
  testEventType,
  type TransactionObject,
  type WebhookEvent,
} from '@florin/webhooks-domain';
import { cardUpdatedAt } from '../cards/card-rows';
import { detailsIn, hasDetails, type HolderKeys } from '../holders/holder-rows';
import { isPaymentEvent, transactionIdIn, transactionUpdatedAt } from '../transactions/transaction-rows';
import { endpointView } from './endpoint-rows';
import type { Endpoints } from './endpoints';
import type { EventOwner } from './event-owner';

/** Data from outside the event. */
export interface DerivationContext {
  readonly keys: HolderKeys;
  readonly endpoints: Endpoints;
}

/** An object that an event of the log concerns. */
export interface AffectedObject {
  readonly kind: ObjectKind;
  readonly id: string;
  /** The owner, if the event contains it. */
  readonly owner?: EventOwner;
  /** The event creates the object: no earlier event is needed. */
  readonly isFirst?: boolean;
  /** The event contains encrypted details of the holder. */
  readonly needsKey?: boolean;
  /** The event id, if it was returned to a client before. */
  readonly eventId?: WebhookEvent['id'];
  /** `previous` is the object of the previous event. Returns undefined when there is nothing to publish. */
  derive(previous: object | undefined, context: DerivationContext): Derived<object> | undefined;
}

/** Casts the previous object to the type that the same function derived before. */
function by<Event, ApiObject>(
  derive: (previous: ApiObject | undefined, event: Event) => Derived<object> | undefined,
  event: Event,
): AffectedObject['derive'] {
  return (previous) => derive(previous as ApiObject | undefined, event);
}

export function affectedByOperation(event: OperationEvent, recordedAt: string): readonly AffectedObject[] {
  const { type, data } = event;
  const first = type === 'OperationQueued' ? { owner: data.order, isFirst: true } : {};
  const derive: AffectedObject['derive'] = (previous) =>
    deriveOperation(previous as OperationObject | undefined, event, recordedAt);
  return [{ kind: 'operation', id: data.operationId, ...first, derive }];
}

/** A payment concerns two objects: the card and the transaction. */
export function affectedByCard(event: CardEvent, recordedAt: string): readonly AffectedObject[] {
  const { type, data: owner } = event;
  const derive: AffectedObject['derive'] = (previous) =>
    deriveCard(previous as CardObject | undefined, event, cardUpdatedAt(event, recordedAt));
  const card: AffectedObject = { kind: 'card', id: owner.cardId, owner, isFirst: type === 'CardIssued', derive };
  if (!isPaymentEvent(event)) return [card];
  const transaction: AffectedObject = {
    ...{ kind: 'transaction', id: transactionIdIn(event), owner, isFirst: type === 'PaymentRecorded' },
    derive: (previous) =>
      deriveTransaction(previous as TransactionObject | undefined, event, transactionUpdatedAt(event, recordedAt)),
  };
  return [transaction, card];
}

export function affectedByHolder(event: HolderEvent, recordedAt: string): readonly AffectedObject[] {
  const { type, data } = event;
  const id = data.holderId;
  const first = type === 'HolderRegistered' ? { owner: data, isFirst: true } : {};
  const needsKey = hasDetails(event);
  const derive: AffectedObject['derive'] = (previous, { keys }) => {
    const isOpened = type === 'HolderRegistered' || type === 'HolderChanged';
    const details = isOpened ? detailsIn(data, keys.get(id)) : {};
    return deriveHolder(previous as HolderObject | undefined, event, details, recordedAt);
  };
  return [{ kind: 'holder', id, ...first, needsKey, derive }];
}

export function affectedByInvoice(event: InvoiceEvent): readonly AffectedObject[] {
  const { type, data } = event;
  // A failure contains the owner, because the invoice may never have been issued.
  const owner = type === 'InvoiceIssued' || type === 'InvoiceFailed' ? data : undefined;
  const isFirst = type === 'InvoiceIssued';
  return [{ kind: 'invoice', id: data.invoiceId, owner, isFirst, derive: by(deriveInvoice, event) }];
}

/** No event is published when the company itself disabled the endpoint. */
export function affectedByEndpoint({ type, data }: EndpointEvent): readonly AffectedObject[] {
  if (type === 'SampleTriggered') {
    const { eventType, requestId } = data;
    const object = sampleObject(data);
    const eventId = requestedEventId(requestId);
    const derive = () => ({ type: eventType, object });
    return [{ kind: 'webhook_endpoint', id: object.id, owner: data, isFirst: true, eventId, derive }];
  }
  if (type === 'EndpointTested') {
    return [affectedEndpoint(data.endpointId, testEventType, requestedEventId(data.requestId))];
  }
  if (type !== 'EndpointDisabled' || data.reason === 'by_company') return [];
  return [affectedEndpoint(data.endpointId, 'webhook_endpoint.disabled')];
}

function affectedEndpoint(id: string, type: WebhookEvent['type'], eventId?: WebhookEvent['id']): AffectedObject {
  const derive: AffectedObject['derive'] = (_previous, { endpoints }) => ({
    type,
    object: endpointView(endpoints.get(id)),
  });
  return { kind: 'webhook_endpoint', id, eventId, derive };
}
