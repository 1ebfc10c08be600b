import { testEventType, webhookEventTypes } from '@florin/webhooks-domain';
import { z } from 'zod';
import { id, text, timestamp, timestampInput } from '../../schemas';

/** What can be subscribed to. */
export const eventType = z.enum(webhookEventTypes);

/** What can arrive: the same, and what an endpoint is sent to see it work. */
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
  events: z.array(eventType).optional().meta({ description: 'What it is told of; absent: everything' }),
  description: z.string().optional(),
  status: z.enum(['enabled', 'disabled']).meta({ description: 'A `disabled` endpoint gets nothing' }),
  disabledReason: z
    .enum(['gone', 'failing', 'by_company'])
    .optional()
    .meta({ description: 'Why it is disabled: it answered 410, it failed for five days, or you wished so' }),
  createdAt: timestamp,
};

export const webhookEndpoint = z
  .strictObject(endpointFields)
  .meta({ id: 'WebhookEndpoint', examples: [exampleEndpoint] });

export const endpointWithSecret = z
  .strictObject({
    ...endpointFields,
    secret: z.string().meta({ description: 'What its deliveries are signed with. It is not shown again: keep it' }),
  })
  .meta({ id: 'WebhookEndpointWithSecret', examples: [{ ...exampleEndpoint, secret: exampleSecret }] });

/** Whether we may send there depends on the environment, and is asked of `checkUrl` in its turn. */
const url = z
  .string()
  .min(1, { error: 'must not be empty' })
  .meta({ description: 'Where to send events: https, in the public internet', format: 'uri', examples: [exampleUrl] });

const events = z
  .array(eventType, { error: 'must be a list of event types' })
  .min(1, { error: 'must name at least one event type; leave it out to get everything' })
  .refine((types) => new Set(types).size === types.length, { error: 'must not name an event type twice' });

const description = text(256);

export const registration = z.strictObject({
  url,
  events: events.optional().meta({
    description: 'What it is told of; absent: everything, also what is added later',
    examples: [exampleEndpoint.events],
  }),
  description: description.optional().meta({ description: 'For yourself', examples: ['The shop'] }),
});

export const endpointChange = z.strictObject({
  url: url.optional(),
  events: events
    .nullable()
    .optional()
    .meta({ description: 'null: everything', examples: [exampleEndpoint.events] }),
  description: description
    .nullable()
    .optional()
    .meta({ description: 'null: none', examples: ['The shop'] }),
  status: z.enum(['enabled', 'disabled']).optional(),
});

export const recovery = z.strictObject({ since: timestampInput });
