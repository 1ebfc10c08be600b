import { WebhookQueries } from '@florin/read-models';
import { requestedEventId, type ResendEvent, type TriggerSample, type WebhookEvent } from '@florin/webhooks-domain';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../../caller';
import { ApiResponse, Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound, mustExist } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { referenceTo, webhookEndpointId } from '../../ids';
import { nothing, timestampInput } from '../../schemas';
import { anyEventType, eventType } from '../webhook-endpoints/endpoint-schemas';
import { WebhookCommands } from '../webhook-endpoints/webhook-commands';
import { eventId, kindOf, requestedEvent, webhookEvent } from './event-schemas';

const tag = 'Webhooks';
const filters = z.strictObject({
  ...pageQuery,
  type: anyEventType.optional().meta({ description: 'Only events of this type' }),
  createdFrom: timestampInput.optional().meta({ description: 'Only events at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only events at this time or earlier' }),
});
const events = pageOf('EventPage', webhookEvent);
const eventParams = z.strictObject({ id: eventId });
const receiver = z
  .strictObject({
    endpointId: referenceTo(webhookEndpointId).optional().meta({
      description:
        'Send the event only to this endpoint. If absent, it is sent to every endpoint that subscribes to its type',
    }),
  })
  .meta({ id: 'EventResend', description: 'Which endpoint receives the event again', examples: [{}] });
/** Replaces the name and the e-mail address of a holder. */
const hidden = '[hidden]';
const personalData =
  'The `name` and `email` of holders are `[hidden]`, and their `metadata` is absent, unless the key also has the scope ' +
  '`holders:read`.';
const sample = z
  .strictObject({ type: eventType.meta({ description: 'The type of the event' }) })
  .meta({ id: 'SandboxEvent', description: 'A sample event to trigger' });

@Controller()
export class EventsController {
  constructor(
    private readonly commands: WebhookCommands,
    private readonly queries: WebhookQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/events',
    operationId: 'events.list',
    tag,
    summary: 'List events',
    description:
      'Returns the webhook events of the last 90 days, newest first, including those that no endpoint has subscribed to. ' +
      personalData,
    scope: 'webhooks:read',
    query: filters,
    response: { status: 200, description: 'The events.', schema: events },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof events>> {
    const { data, nextCursor } = await this.cursors.readPage(input, byCreation, (wanted, page) =>
      this.queries.events(input.caller, wanted, page),
    );
    return { data: data.map((event) => eventBody(event, input.caller)), nextCursor };
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/events/:id',
    operationId: 'events.get',
    tag,
    summary: 'Read an event',
    description: personalData,
    scope: 'webhooks:read',
    params: eventParams,
    response: { status: 200, description: 'The event as it is sent.', schema: webhookEvent },
  })
  async read(input: Input<undefined, undefined, typeof eventParams>): Promise<ResponseOf<typeof webhookEvent>> {
    return eventBody(await this.find(input.caller, input.params.id), input.caller);
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/events/:id/resend',
    operationId: 'events.resend',
    tag,
    summary: 'Send an event again',
    description: 'The event keeps its id, so that a receiver recognizes it as a duplicate.',
    scope: 'webhooks:write',
    params: eventParams,
    body: receiver,
    response: { status: 202, description: 'The event will be sent.', schema: nothing },
  })
  async resend(input: Input<typeof receiver, undefined, typeof eventParams>): Promise<ResponseOf<typeof nothing>> {
    const { id } = input.params;
    const { endpointId } = input.body;
    if (endpointId !== undefined) mustExist(endpointId, 'webhook endpoint');
    await this.find(input.caller, id);
    const data = { ...this.commands.fieldsOf(input), eventId: id, endpointId };
    const command: ResendEvent = { type: 'ResendEvent', data };
    const { repeated } = await this.commands.executeOnce(input, command, () => null);
    return new ApiResponse({}, { replayed: repeated });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/events',
    operationId: 'sandbox.triggerEvent',
    tag: 'Sandbox',
    summary: 'Trigger a sample event',
    description: 'Sends an event about a sample object to every endpoint that subscribes to its type.',
    scope: 'webhooks:write',
    sandboxOnly: true,
    body: sample,
    response: { status: 202, description: 'The event that will be sent.', schema: requestedEvent },
  })
  async trigger(input: Input<typeof sample>): Promise<ResponseOf<typeof requestedEvent>> {
    const { type } = input.body;
    const { companyId, environment } = input.caller;
    const data = { ...this.commands.fieldsOf(input), companyId, environment, eventType: type };
    const command: TriggerSample = { type: 'TriggerSample', data };
    const { repeated } = await this.commands.executeOnce(input, command, () => null);
    return new ApiResponse({ id: requestedEventId(data.requestId), type }, { replayed: repeated });
  }

  private async find(caller: Caller, id: string): Promise<WebhookEvent> {
    return mustBeFound(await this.queries.event(caller, id), 'event', id);
  }
}

/** A stored event always fits its schema, but the compiler cannot relate the type to the object. */
function eventBody(event: WebhookEvent, { scopes }: Caller): z.output<typeof webhookEvent> {
  const visible = kindOf(event.type) === 'holder' && !scopes.includes('holders:read') ? withoutPerson(event) : event;
  return visible as z.output<typeof webhookEvent>;
}

/** The event about a holder for a key that may not read holders. */
function withoutPerson(event: WebhookEvent): WebhookEvent {
  const { metadata: _, ...object } = event.data.object as { metadata?: unknown };
  return { ...event, data: { object: { ...object, name: hidden, email: hidden } } } as WebhookEvent;
}
