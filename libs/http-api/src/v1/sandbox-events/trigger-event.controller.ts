import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { requestedEventId, type TriggerSample } from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { requestedEvent } from '../events/event-schemas';
import { eventType } from '../webhook-endpoints/endpoint-schemas';
import { webhookCommand } from '../webhook-endpoints/webhook-command';

const sample = z.strictObject({ type: eventType.meta({ description: 'The type of the event' }) });

@Controller()
export class TriggerEventController {
  constructor(
    private readonly commands: Commands,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/events',
    tag: 'Sandbox',
    summary: 'Trigger a sample event',
    description: 'Sends an event about a sample object to every endpoint that subscribes to its type.',
    scope: 'webhooks:write',
    sandboxOnly: true,
    body: sample,
    response: { status: 202, description: 'The event that will be sent.', schema: requestedEvent },
  })
  async trigger({
    body,
    caller,
    idempotency,
    ...origin
  }: Input<typeof sample>): Promise<ResponseOf<typeof requestedEvent>> {
    const { companyId, environment } = caller;
    const requestId = idempotency?.commandId ?? randomId();
    const data = { eventType: body.type, requestId, now: this.clock.now().toISOString() };
    const command: TriggerSample = {
      type: 'TriggerSample',
      data: { accountId: accountIdOf(companyId, environment), companyId, environment, ...data },
    };
    const { repeated } = await this.commands.execute(origin, webhookCommand(command, requestId));
    return response(202, { id: requestedEventId(requestId), type: body.type }, { replayed: repeated });
  }
}
