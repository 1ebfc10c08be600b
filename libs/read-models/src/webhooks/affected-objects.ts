import type { InvoiceEvent } from '@florin/invoicing-domain';
import { unsealText } from '@florin/kernel';
import type { CardEvent, HolderEvent, OperationEvent, PersonalData } from '@florin/operations-domain';
import {
  deriveCard,
  type Derived,
  deriveHolder,
  deriveInvoice,
  deriveOperation,
  deriveTransaction,
  type EndpointEvent,
  type ObjectKind,
  requestedEventId,
  sampleObject,
  testEventType,
  type WebhookEvent,
} from '@florin/webhooks-domain';
import type { HolderKeys } from '../holders/holder-rows';
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

export function affectedByOperation(event: OperationEvent): readonly AffectedObject[] {
  const { type, data } = event;
  const first = type === 'OperationQueued' ? { owner: data.order, isFirst: true } : {};
  return [{ kind: 'operation', id: data.operationId, ...first, derive: by(deriveOperation, event) }];
}

/** A payment concerns two objects: the card and the transaction. */
export function affectedByCard(event: CardEvent): readonly AffectedObject[] {
  const { type, data: owner } = event;
  const derive = by(deriveCard, event);
  const card: AffectedObject = { kind: 'card', id: owner.cardId, owner, isFirst: type === 'CardIssued', derive };
  if (type !== 'PaymentRecorded' && type !== 'PaymentChanged') return [card];
  const isFirst = type === 'PaymentRecorded';
  const id = isFirst ? event.data.payment.transactionId : event.data.transactionId;
  return [{ kind: 'transaction', id, owner, isFirst, derive: by(deriveTransaction, event) }, card];
}

export function affectedByHolder(event: HolderEvent): readonly AffectedObject[] {
  const { type, data } = event;
  const id = data.holderId;
  if (type !== 'HolderRegistered') return [{ kind: 'holder', id, derive: by(deriveHolder, event) }];
  const derive: AffectedObject['derive'] = (_previous, { keys }) => {
    const key = keys.get(id);
    const person = key === undefined ? undefined : (JSON.parse(unsealText(key, id, data.sealed)) as PersonalData);
    return deriveHolder(undefined, event, person);
  };
  return [{ kind: 'holder', id, owner: data, isFirst: true, derive }];
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
