import { isUuid } from '@florin/kernel';
import { type WebhookEventType, webhookEventTypes } from '../event-types';
import { sampleObject } from './sample-object';

const sample = (eventType: WebhookEventType, requestId = 'r1') =>
  sampleObject({
    ...{ accountId: 'acme-sandbox', companyId: 'acme', environment: 'sandbox', eventType, requestId },
    requestedAt: '2030-01-01T00:00:00.000Z',
  });

describe('sampleObject', () => {
  it.each(webhookEventTypes)('of %s has the shape of the object, with ids that depend on the request', (type) => {
    const object = sample(type);
    expect(isUuid(object.id)).toBe(true);
    expect(sample(type)).toStrictEqual(object);
    expect(sample(type, 'r2').id).not.toBe(object.id);
  });

  it('has the status of its event type', () => {
    for (const type of webhookEventTypes) {
      const [kind, status] = type.split('.');
      if (kind === 'operation' || kind === 'invoice') expect(sample(type)).toMatchObject({ status });
    }
    expect(sample('operation.completed')).toHaveProperty('result.cardId');
    expect(sample('operation.failed')).toHaveProperty('failure.code');
    expect(sample('webhook_endpoint.disabled')).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
  });
});
