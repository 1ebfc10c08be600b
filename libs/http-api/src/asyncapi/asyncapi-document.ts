import { deterministicId } from '@florin/kernel';
import { requestedEventId, sampleObject, testEventType, type WebhookEvent } from '@florin/webhooks-domain';
import { z } from 'zod';
import { apiVersion } from '../versions';
import type { JsonSchema } from '../openapi/document-types';
import { SchemaComponents } from '../openapi/schema-components';
import { eventMeanings } from '../v1/events/event-meanings';
import { eventOf, eventTypes, kindOf, objectSchemas } from '../v1/events/event-schemas';
import { exampleEndpoint } from '../v1/webhook-endpoints/endpoint-schemas';

type EventType = WebhookEvent['type'];

const description =
  'The events that Florin sends to webhook endpoints. Delivery is at least once and in any order: use `id` to detect ' +
  'duplicates and `objectVersion` to detect older events. Any 2xx response within 15 s acknowledges a delivery. New types ' +
  'and fields can be added at any time: ignore those that you do not know. docs/WEBHOOKS.md explains how to receive events.';

const headers: JsonSchema = {
  type: 'object',
  required: ['Content-Type', 'Service-Signature', 'Webhook-Id'],
  properties: {
    'Content-Type': { type: 'string', const: 'application/json' },
    'User-Agent': { type: 'string', const: 'Florin-Webhooks/1' },
    'Webhook-Id': { type: 'string', description: 'The id of the event' },
    'Service-Signature': {
      type: 'string',
      pattern: '^t=\\d+(,v1=[0-9a-f]{64})+$',
      description:
        'HMAC-SHA256 of `t`, a period and the raw body, keyed with the secret of the endpoint; one `v1` for each valid ' +
        'secret.',
    },
  },
};

/** All webhook events in AsyncAPI 3.0, derived from the response schemas of the API. */
export function asyncApiDocument(): object {
  const components = new SchemaComponents();
  const messages = Object.fromEntries(eventTypes.map((type) => [type, messageOf(type, components)]));
  return {
    asyncapi: '3.0.0',
    info: { title: 'Florin webhooks', version: apiVersion, description },
    defaultContentType: 'application/json',
    channels: {
      webhookEndpoint: {
        address: null,
        description: 'The URL that was registered with POST /api/v1/webhook-endpoints.',
        messages: Object.fromEntries(eventTypes.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
      },
    },
    operations: {
      sendEvent: {
        action: 'send',
        channel: { $ref: '#/channels/webhookEndpoint' },
        summary: 'Florin posts every event to every enabled endpoint that subscribes to its type.',
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: { messages, schemas: { ...openToMore(components.schemas), WebhookHeaders: headers } },
  };
}

function messageOf(type: EventType, components: SchemaComponents): object {
  const payload = components.output(eventOf(z.literal(type), objectSchemas[kindOf(type)]));
  return {
    name: type,
    summary: eventMeanings[type],
    headers: { $ref: '#/components/schemas/WebhookHeaders' },
    payload: openToMore(payload),
    examples: [{ payload: exampleOf(type) }],
  };
}

const occasion = {
  accountId: 'c0ffee00-0000-4000-8000-000000000001-sandbox',
  companyId: 'c0ffee00-0000-4000-8000-000000000001',
  environment: 'sandbox',
  requestedAt: '2030-01-31T12:00:00.000Z',
} as const;

export function exampleOf(type: EventType): WebhookEvent {
  const requestId = deterministicId('example', type);
  const object = type === testEventType ? exampleEndpoint : sampleObject({ ...occasion, eventType: type, requestId });
  const { companyId, environment, requestedAt: createdAt } = occasion;
  return {
    ...{ id: requestedEventId(requestId), type, createdAt, environment, companyId, objectVersion: 1 },
    data: { object: { ...object } },
  };
}

/** Allows additional fields: a receiver must accept fields that are added later. */
function openToMore<Part>(part: Part): Part {
  const text = JSON.stringify(part, (key, value: unknown) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  );
  return JSON.parse(text) as Part;
}
