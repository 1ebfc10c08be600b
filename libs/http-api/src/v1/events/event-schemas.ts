import { type ObjectKind, testEventType, type WebhookEvent, webhookEventTypes } from '@florin/webhooks-domain';
import { z } from 'zod';
import { environment, id, timestamp } from '../../schemas';
import { card } from '../cards/card-schemas';
import { holder } from '../holders/holder-schemas';
import { invoice } from '../invoices/invoice-schemas';
import { operation } from '../operations/operation-schemas';
import { transaction } from '../transactions/transaction-schemas';
import { webhookEndpoint } from '../webhook-endpoints/endpoint-schemas';

type EventType = WebhookEvent['type'];
type TypeOf<Kind extends ObjectKind> = Extract<EventType, `${Kind}.${string}`>;

export const eventTypes = [...webhookEventTypes, testEventType] as const;

/** The event types of one kind of object. */
export function typesOf<Kind extends ObjectKind>(kind: Kind): readonly TypeOf<Kind>[] {
  return eventTypes.filter((type): type is TypeOf<Kind> => type.startsWith(`${kind}.`));
}

/** The kind of object that an event of this type contains. */
export function kindOf(type: EventType): ObjectKind {
  return type.slice(0, type.indexOf('.')) as ObjectKind;
}

export const objectSchemas = {
  operation,
  invoice,
  card,
  transaction,
  holder,
  webhook_endpoint: webhookEndpoint,
} as const satisfies Readonly<Record<ObjectKind, z.ZodType>>;

export const eventId = z
  .string()
  .regex(/^evt_[0-9a-f]{32}$/)
  .meta({
    description: 'Stays the same when the event is sent again',
    examples: ['evt_0f8b4a4e2f0c5c4e9d535b6a9d3c1e57'],
  });

/** The schema of an event with this type and object. */
export const eventOf = <Type extends z.ZodType, Subject extends z.ZodType>(type: Type, object: Subject) =>
  z.strictObject({
    id: eventId,
    type,
    createdAt: timestamp,
    environment,
    companyId: id,
    objectVersion: z
      .int()
      .min(1)
      .meta({
        description: 'Increases with each event of the same object; an event with a smaller number is older',
        examples: [1],
      }),
    data: z.strictObject({ object }),
  });

const eventsAbout = <Kind extends ObjectKind>(kind: Kind, title: string) =>
  eventOf(z.enum(typesOf(kind)), objectSchemas[kind]).meta({ id: title });

export const webhookEvent = z
  .discriminatedUnion('type', [
    eventsAbout('operation', 'OperationEvent'),
    eventsAbout('invoice', 'InvoiceEvent'),
    eventsAbout('card', 'CardEvent'),
    eventsAbout('transaction', 'TransactionEvent'),
    eventsAbout('holder', 'HolderEvent'),
    eventsAbout('webhook_endpoint', 'WebhookEndpointEvent'),
  ])
  .meta({ id: 'WebhookEvent' });

/** The response to a request to send an event. The event can be read at once and is delivered shortly afterwards. */
export const requestedEvent = z
  .strictObject({ id: eventId, type: z.enum(eventTypes) })
  .meta({ id: 'RequestedEvent', examples: [{ id: 'evt_0f8b4a4e2f0c5c4e9d535b6a9d3c1e57', type: testEventType }] });
