import { z } from 'zod';
import { id, timestamp } from '../../schemas';
import { eventId } from '../events/event-schemas';
import { anyEventType } from './endpoint-schemas';

export const deliveryStatus = z.enum(['pending', 'delivered', 'failed', 'cancelled']);

const attempt = z.strictObject({
  number: z.int().meta({ description: 'The number of the attempt, starting at 1', examples: [1] }),
  at: timestamp,
  durationMs: z.int().meta({ examples: [120] }),
  outcome: z.enum(['acknowledged', 'refused', 'unreachable', 'forbidden']).meta({
    description: '`refused`: the response was not 2xx; `forbidden`: connections to the address are not allowed',
    examples: ['refused'],
  }),
  statusCode: z
    .int()
    .optional()
    .meta({ description: 'The HTTP status, if there was a response', examples: [503] }),
  error: z.string().optional().meta({ description: 'The reason if there was no response' }),
  excerpt: z.string().optional().meta({ description: 'The beginning of the response, up to 1 KiB' }),
});

export const exampleDelivery = {
  id: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c',
  eventId: 'evt_0f8b4a4e2f0c5c4e9d535b6a9d3c1e57',
  eventType: 'operation.completed',
  status: 'pending',
  attempts: 1,
  nextAttemptAt: '2030-01-31T12:00:05.000Z',
  lastAttemptAt: '2030-01-31T12:00:00.000Z',
  lastStatusCode: 503,
  createdAt: '2030-01-31T12:00:00.000Z',
  log: [
    {
      number: 1,
      at: '2030-01-31T12:00:00.000Z',
      durationMs: 120,
      outcome: 'refused',
      statusCode: 503,
      excerpt: 'Later.',
    },
  ],
};

export const delivery = z
  .strictObject({
    id,
    eventId,
    eventType: anyEventType,
    status: deliveryStatus.meta({ description: '`cancelled`: the endpoint was disabled or deleted' }),
    attempts: z.int().meta({ description: 'The number of attempts' }),
    nextAttemptAt: timestamp
      .optional()
      .meta({ description: 'The time of the next attempt, while the delivery is pending' }),
    lastAttemptAt: timestamp.optional(),
    lastStatusCode: z.int().optional(),
    lastError: z.string().optional(),
    createdAt: timestamp,
    log: z.array(attempt).meta({ description: 'Every attempt, oldest first' }),
  })
  .meta({ id: 'WebhookDelivery', examples: [exampleDelivery] });
