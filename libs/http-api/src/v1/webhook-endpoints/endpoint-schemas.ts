import { testEventType, type WebhookEventType } from '@florin/webhooks-domain';
import { z } from 'zod';
import { exampleIds, webhookEndpointId } from '../../ids';
import { explainedEnum, text, timestamp, timestampInput } from '../../schemas';
import { eventMeanings } from '../events/event-meanings';

/** The event types that an endpoint can subscribe to. */
const { [testEventType]: testMeaning, ...meanings } = eventMeanings;

export const eventType = explainedEnum<WebhookEventType>(
  'WebhookEventType',
  'An event type that an endpoint can subscribe to',
  meanings,
);

/** All event types, including the test event. */
export const anyEventType = explainedEnum<WebhookEventType | typeof testEventType>(
  'EventType',
  'The type of an event',
  {
    ...meanings,
    [testEventType]: testMeaning,
  },
);

const exampleUrl = 'https://example.com/webhooks';

export const exampleEndpoint = {
  id: exampleIds.webhookEndpoint,
  url: exampleUrl,
  events: ['operation.completed', 'operation.failed'],
  description: 'The shop',
  status: 'enabled',
  createdAt: '2030-01-31T12:00:00.000Z',
};

const exampleSecret = 'whsec_b3BlbiB0aGUgYm94IGFuZCB0YWtlIHRoZSBrZXkgb3V0';

const endpointStatus = explainedEnum<'enabled' | 'disabled'>('WebhookEndpointStatus', 'Whether events are sent', {
  enabled: 'The endpoint receives events',
  disabled: 'The endpoint receives no events',
});

const endpointFields = {
  id: webhookEndpointId,
  url: z.string().meta({ description: 'The URL that receives events', format: 'uri', examples: [exampleUrl] }),
  events: z
    .array(eventType)
    .optional()
    .meta({ description: 'The event types that the endpoint receives; all types if absent', uniqueItems: true }),
  description: z
    .string()
    .optional()
    .meta({ description: 'A description for your own use', examples: ['The shop'] }),
  status: endpointStatus,
  disabledReason: explainedEnum<'gone' | 'failing' | 'by_company'>(
    'WebhookEndpointDisabledReason',
    'Why the endpoint is disabled',
    {
      gone: 'It returned 410',
      failing: 'It failed for five days',
      by_company: 'You disabled it',
    },
  ).optional(),
  createdAt: timestamp,
};

export const webhookEndpoint = z
  .strictObject(endpointFields)
  .meta({ id: 'WebhookEndpoint', description: 'A webhook endpoint', examples: [exampleEndpoint] });

export const endpointWithSecret = z
  .strictObject({
    ...endpointFields,
    secret: z.string().meta({
      description: 'The key that signs the deliveries. Store it: it is not shown again',
      examples: [exampleSecret],
    }),
  })
  .meta({
    id: 'WebhookEndpointWithSecret',
    description: 'A webhook endpoint with its new secret',
    examples: [{ ...exampleEndpoint, secret: exampleSecret }],
  });

/** Which addresses are allowed depends on the environment; `ReceiverRules` checks that. */
const url = z
  .string()
  .min(1, { error: 'must not be empty' })
  .meta({
    description: 'The URL that receives events: HTTPS, and a public address',
    format: 'uri',
    examples: [exampleUrl],
  });

const events = z
  .array(eventType, { error: 'must be a list of event types' })
  .min(1, { error: 'must contain at least one event type; omit it to receive all types' })
  .refine((types) => new Set(types).size === types.length, { error: 'must not contain an event type twice' })
  .meta({ uniqueItems: true });

const description = text(256);

export const registration = z
  .strictObject({
    url,
    events: events.optional().meta({
      description:
        'The event types that the endpoint receives. If absent, it receives all types, including future ones',
      examples: [exampleEndpoint.events],
    }),
    description: description.optional().meta({ description: 'A description for your own use', examples: ['The shop'] }),
  })
  .meta({ id: 'WebhookEndpointCreation', description: 'A new webhook endpoint' });

export const endpointChange = z
  .strictObject({
    url: url.optional(),
    events: events
      .nullable()
      .optional()
      .meta({ description: 'null for all types', examples: [exampleEndpoint.events] }),
    description: description
      .nullable()
      .optional()
      .meta({ description: 'null for none', examples: ['The shop'] }),
    status: endpointStatus.optional(),
  })
  .meta({ id: 'WebhookEndpointChange', description: 'The fields of a webhook endpoint to change' });

export const recovery = z
  .strictObject({ since: timestampInput.meta({ description: 'Send the events at this time or later' }) })
  .meta({ id: 'WebhookRecovery', description: 'Which missed events to send' });
