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
export interface Subject {
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
function by<Event, Shown>(
  derive: (previous: Shown | undefined, event: Event) => Derived<object> | undefined,
  event: Event,
): Subject['derive'] {
  return (previous) => derive(previous as Shown | undefined, event);
}

export function subjectsOfOperation(event: OperationEvent): readonly Subject[] {
  const { type, data } = event;
  const first = type === 'OperationQueued' ? { owner: data.order, isFirst: true } : {};
  return [{ kind: 'operation', id: data.operationId, ...first, derive: by(deriveOperation, event) }];
}

/** A payment concerns two objects: the card and the transaction. */
export function subjectsOfCard(event: CardEvent): readonly Subject[] {
  const { type, data: owner } = event;
  const derive = by(deriveCard, event);
  const card: Subject = { kind: 'card', id: owner.cardId, owner, isFirst: type === 'CardIssued', derive };
  if (type !== 'PaymentRecorded' && type !== 'PaymentChanged') return [card];
  const isFirst = type === 'PaymentRecorded';
  const id = isFirst ? event.data.payment.transactionId : event.data.transactionId;
  return [{ kind: 'transaction', id, owner, isFirst, derive: by(deriveTransaction, event) }, card];
}

export function subjectsOfHolder(event: HolderEvent): readonly Subject[] {
  const { type, data } = event;
  const id = data.holderId;
  if (type !== 'HolderRegistered') return [{ kind: 'holder', id, derive: by(deriveHolder, event) }];
  const derive: Subject['derive'] = (_previous, { keys }) => {
    const key = keys.get(id);
    const person = key === undefined ? undefined : (JSON.parse(unsealText(key, id, data.sealed)) as PersonalData);
    return deriveHolder(undefined, event, person);
  };
  return [{ kind: 'holder', id, owner: data, isFirst: true, derive }];
}

export function subjectsOfInvoice(event: InvoiceEvent): readonly Subject[] {
  const { type, data } = event;
  // A failure contains the owner, because the invoice may never have been issued.
  const owner = type === 'InvoiceIssued' || type === 'InvoiceFailed' ? data : undefined;
  const isFirst = type === 'InvoiceIssued';
  return [{ kind: 'invoice', id: data.invoiceId, owner, isFirst, derive: by(deriveInvoice, event) }];
}

/** No event is published when the company itself disabled the endpoint. */
export function subjectsOfEndpoint({ type, data }: EndpointEvent): readonly Subject[] {
  if (type === 'SampleTriggered') {
    const { eventType, requestId } = data;
    const object = sampleObject(data);
    const eventId = requestedEventId(requestId);
    const derive = () => ({ type: eventType, object });
    return [{ kind: 'webhook_endpoint', id: object.id, owner: data, isFirst: true, eventId, derive }];
  }
  if (type === 'EndpointTested') {
    return [endpointSubject(data.endpointId, testEventType, requestedEventId(data.requestId))];
  }
  if (type !== 'EndpointDisabled' || data.reason === 'by_company') return [];
  return [endpointSubject(data.endpointId, 'webhook_endpoint.disabled')];
}

function endpointSubject(id: string, type: WebhookEvent['type'], eventId?: WebhookEvent['id']): Subject {
  const derive: Subject['derive'] = (_previous, { endpoints }) => ({ type, object: endpointView(endpoints.get(id)) });
  return { kind: 'webhook_endpoint', id, eventId, derive };
}
