import { type ObjectKind, testEventType, type WebhookEvent, webhookEventTypes } from '@florin/webhooks-domain';
import { z } from 'zod';
import { companyId } from '../../ids';
import { environment, timestamp } from '../../schemas';
import { card } from '../cards/card-schemas';
import { holder } from '../holders/holder-schemas';
import { invoice } from '../invoices/invoice-schemas';
import { operation } from '../operations/operation-schemas';
import { transaction } from '../transactions/transaction-schemas';
import { anyEventType, webhookEndpoint } from '../webhook-endpoints/endpoint-schemas';

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
    id: 'EventId',
    description: 'The id of an event. It stays the same when the event is sent again',
    examples: ['evt_0f8b4a4e2f0c5c4e9d535b6a9d3c1e57'],
  });

/** The schema of an event with this type and object. */
export const eventOf = <Type extends z.ZodType, Subject extends z.ZodType>(type: Type, object: Subject) =>
  z.strictObject({
    id: eventId,
    type,
    createdAt: timestamp,
    environment,
    companyId,
    objectVersion: z
      .int()
      .min(1)
      .meta({
        description: 'Increases with each event of the same object; an event with a smaller number is older',
        examples: [1],
      }),
    data: z.strictObject({ object }).meta({ description: 'The object that the event is about' }),
  });

const eventsAbout = <Kind extends ObjectKind>(kind: Kind, title: string) =>
  eventOf(z.enum(typesOf(kind)).meta({ description: 'The type of the event' }), objectSchemas[kind]).meta({
    id: title,
    description: 'A webhook event with the object that it is about',
  });

export const eventSchemas = {
  operation: eventsAbout('operation', 'OperationEvent'),
  invoice: eventsAbout('invoice', 'InvoiceEvent'),
  card: eventsAbout('card', 'CardEvent'),
  transaction: eventsAbout('transaction', 'TransactionEvent'),
  holder: eventsAbout('holder', 'HolderEvent'),
  webhook_endpoint: eventsAbout('webhook_endpoint', 'WebhookEndpointEvent'),
} as const satisfies Readonly<Record<ObjectKind, z.ZodType>>;

export const webhookEvent = z
  .discriminatedUnion('type', [
    eventSchemas.operation,
    eventSchemas.invoice,
    eventSchemas.card,
    eventSchemas.transaction,
    eventSchemas.holder,
    eventSchemas.webhook_endpoint,
  ])
  .meta({ id: 'WebhookEvent', description: 'A webhook event, by its type', discriminator: { propertyName: 'type' } });

/** The response to a request to send an event. The event can be read at once and is delivered shortly afterwards. */
export const requestedEvent = z.strictObject({ id: eventId, type: anyEventType }).meta({
  id: 'RequestedEvent',
  description: 'An event that will be sent',
  examples: [{ id: 'evt_0f8b4a4e2f0c5c4e9d535b6a9d3c1e57', type: testEventType }],
});
