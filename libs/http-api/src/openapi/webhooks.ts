import { exampleOf } from '../asyncapi/asyncapi-document';
import { eventMeanings } from '../v1/events/event-meanings';
import { eventId, eventSchemas, eventTypes, kindOf } from '../v1/events/event-schemas';
import type { Operation } from './document-types';
import type { SchemaComponents } from './schema-components';

type EventType = (typeof eventTypes)[number];

/** The requests that Florin sends to webhook endpoints, by event type. */
export function webhooksOf(components: SchemaComponents): Record<string, { readonly post: Operation }> {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: deliveryOf(type, components) }]));
}

function deliveryOf(type: EventType, components: SchemaComponents): Operation {
  const schema = components.output(eventSchemas[kindOf(type)]);
  return {
    operationId: `webhooks.${type.replace(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    tags: ['Webhooks'],
    summary: `Receive ${type}`,
    description: eventMeanings[type],
    // The signature authenticates the request.
    security: [],
    parameters: [
      {
        name: 'Service-Signature',
        in: 'header',
        required: true,
        description: 'HMAC-SHA256 of `t`, a period and the raw body; one `v1` for each valid secret of the endpoint',
        schema: { type: 'string', pattern: '^t=\\d+(,v1=[0-9a-f]{64})+$' },
      },
      {
        name: 'Webhook-Id',
        in: 'header',
        required: true,
        description: 'The id of the event',
        schema: components.output(eventId),
      },
    ],
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(type) } } },
    responses: {
      '2XX': { description: 'Acknowledges the delivery, if it arrives within 15 seconds.' },
      '410': { description: 'Disables the webhook endpoint.' },
      default: { description: 'Florin sends the event again later.' },
    },
  };
}
