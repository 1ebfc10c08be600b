import { webhookEventTypes } from '@florin/webhooks-domain';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { eventMeanings } from '../v1/events/event-meanings';
import { eventTypes, kindOf, objectSchemas, webhookEvent } from '../v1/events/event-schemas';
import { asyncApiDocument, exampleOf } from './asyncapi-document';

const file = resolve(__dirname, '../../../../docs/asyncapi.json');

interface Document {
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly messages: Readonly<Record<string, { readonly payload: object; readonly examples: readonly object[] }>>;
  };
}

const document = JSON.parse(JSON.stringify(asyncApiDocument())) as Document;

describe('The event catalog', () => {
  it('matches docs/asyncapi.json (otherwise run `npm run generate:asyncapi`)', () => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(document);
  });

  it('describes every type with its meaning and its API object', () => {
    expect(Object.keys(document.components.messages)).toEqual([...webhookEventTypes, 'webhook_endpoint.test']);
    expect(Object.keys(eventMeanings).sort()).toEqual([...eventTypes].sort());
    expect(document.components.messages['card.updated']).toMatchObject({
      payload: {
        required: ['id', 'type', 'createdAt', 'environment', 'companyId', 'objectVersion', 'data'],
        properties: {
          type: { const: 'card.updated' },
          data: { properties: { object: { $ref: '#/components/schemas/Card' } } },
        },
      },
    });
  });

  it.each(eventTypes)('has a valid example of %s', (type) => {
    const example = exampleOf(type);
    expect(objectSchemas[kindOf(type)].safeParse(example.data.object).error).toBeUndefined();
    expect(webhookEvent.safeParse(example).error).toBeUndefined();
    expect(document.components.messages[type]!.examples).toEqual([{ payload: example }]);
  });

  it('has no unresolved $ref', () => {
    const references = JSON.stringify(document).match(/(?<="\$ref":"#\/)[^"]+/g) ?? [];
    expect(references.length).toBeGreaterThan(eventTypes.length);
    for (const reference of references) {
      const target = reference
        .split('/')
        .reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document);
      expect([reference, typeof target]).toEqual([reference, 'object']);
    }
  });

  it('allows additional fields', () => {
    expect(JSON.stringify(document)).not.toContain('additionalProperties":false');
  });
});
