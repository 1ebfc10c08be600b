import { z } from 'zod';
import { deliveryId, exampleIds } from '../../ids';
import { explainedEnum, timestamp } from '../../schemas';
import { eventId } from '../events/event-schemas';
import { anyEventType } from './endpoint-schemas';

export const deliveryStatus = explainedEnum<'pending' | 'delivered' | 'failed' | 'cancelled'>(
  'DeliveryStatus',
  'The status of a delivery',
  {
    pending: 'The event will be sent, or sent again',
    delivered: 'The endpoint has acknowledged the event',
    failed: 'All attempts have failed',
    cancelled: 'The endpoint was disabled or deleted',
  },
);

const attempt = z
  .strictObject({
    number: z.int().meta({ description: 'The number of the attempt, starting at 1', examples: [1] }),
    at: timestamp,
    durationMs: z.int().meta({ description: 'How long the attempt took, in milliseconds', examples: [120] }),
    outcome: explainedEnum<'acknowledged' | 'refused' | 'unreachable' | 'forbidden'>(
      'DeliveryOutcome',
      'What came of the attempt',
      {
        acknowledged: 'The response was 2xx',
        refused: 'The response was not 2xx',
        unreachable: 'There was no complete response in time',
        forbidden: 'Connections to the address are not allowed',
      },
    ).meta({ examples: ['refused'] }),
    statusCode: z
      .int()
      .optional()
      .meta({ description: 'The HTTP status, if there was a response', examples: [503] }),
    error: z
      .string()
      .optional()
      .meta({ description: 'The reason if there was no response', examples: ['The connection timed out'] }),
    excerpt: z
      .string()
      .optional()
      .meta({ description: 'The beginning of the response, up to 1 KiB', examples: ['Later.'] }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to deliver an event' });

export const exampleDelivery = {
  id: exampleIds.delivery,
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
    id: deliveryId,
    eventId,
    eventType: anyEventType,
    status: deliveryStatus,
    attempts: z.int().meta({ description: 'The number of attempts', examples: [1] }),
    nextAttemptAt: timestamp
      .optional()
      .meta({ description: 'The time of the next attempt, while the delivery is pending' }),
    lastAttemptAt: timestamp.optional().meta({ description: 'The time of the last attempt' }),
    lastStatusCode: z
      .int()
      .optional()
      .meta({ description: 'The HTTP status of the last response', examples: [503] }),
    lastError: z.string().optional().meta({ description: 'Why the last attempt got no response' }),
    createdAt: timestamp,
    log: z.array(attempt).meta({ description: 'Every attempt, oldest first' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'A delivery of an event to an endpoint', examples: [exampleDelivery] });
