import { testEventType, webhookEventTypes } from '@florin/webhooks-domain';
import { z } from 'zod';
import { id, text, timestamp, timestampInput } from '../../schemas';

/** The event types that an endpoint can subscribe to. */
export const eventType = z.enum(webhookEventTypes);

/** All event types, including the test event. */
export const anyEventType = z.enum([...webhookEventTypes, testEventType]);

const exampleUrl = 'https://example.com/webhooks';

export const exampleEndpoint = {
  id: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  url: exampleUrl,
  events: ['operation.completed', 'operation.failed'],
  description: 'The shop',
  status: 'enabled',
  createdAt: '2030-01-31T12:00:00.000Z',
};

const exampleSecret = 'whsec_b3BlbiB0aGUgYm94IGFuZCB0YWtlIHRoZSBrZXkgb3V0';

const endpointFields = {
  id,
  url: z.string().meta({ format: 'uri', examples: [exampleUrl] }),
  events: z
    .array(eventType)
    .optional()
    .meta({ description: 'The event types that the endpoint receives; all types if absent' }),
  description: z.string().optional(),
  status: z.enum(['enabled', 'disabled']).meta({ description: 'A `disabled` endpoint receives no events' }),
  disabledReason: z.enum(['gone', 'failing', 'by_company']).optional().meta({
    description: 'Why the endpoint is disabled: it returned 410, it failed for five days, or you disabled it',
  }),
  createdAt: timestamp,
};

export const webhookEndpoint = z
  .strictObject(endpointFields)
  .meta({ id: 'WebhookEndpoint', examples: [exampleEndpoint] });

export const endpointWithSecret = z
  .strictObject({
    ...endpointFields,
    secret: z.string().meta({ description: 'The key that signs the deliveries. Store it: it is not shown again' }),
  })
  .meta({ id: 'WebhookEndpointWithSecret', examples: [{ ...exampleEndpoint, secret: exampleSecret }] });

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
  .refine((types) => new Set(types).size === types.length, { error: 'must not contain an event type twice' });

const description = text(256);

export const registration = z.strictObject({
  url,
  events: events.optional().meta({
    description: 'The event types that the endpoint receives. If absent, it receives all types, including future ones',
    examples: [exampleEndpoint.events],
  }),
  description: description.optional().meta({ description: 'A description for your own use', examples: ['The shop'] }),
});

export const endpointChange = z.strictObject({
  url: url.optional(),
  events: events
    .nullable()
    .optional()
    .meta({ description: 'null for all types', examples: [exampleEndpoint.events] }),
  description: description
    .nullable()
    .optional()
    .meta({ description: 'null for none', examples: ['The shop'] }),
  status: z.enum(['enabled', 'disabled']).optional(),
});

export const recovery = z.strictObject({ since: timestampInput });
