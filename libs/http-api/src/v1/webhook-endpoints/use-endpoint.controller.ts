import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { type RecoverEndpoint, requestedEventId, type TestEndpoint, testEventType } from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { requestedEvent } from '../events/event-schemas';
import { recovery } from './endpoint-schemas';
import { webhookCommand } from './webhook-command';

const nothing = z.strictObject({});

const common = { method: 'POST', tag: 'Webhooks', scope: 'webhooks:write', params: idParams } as const;

@Controller()
export class UseEndpointController {
  constructor(
    private readonly commands: Commands,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    ...common,
    path: '/api/v1/webhook-endpoints/:id/test',
    summary: 'Send a test event',
    description:
      'Sends a `webhook_endpoint.test` event only to this endpoint. The list of deliveries shows the result.',
    response: { status: 202, description: 'The event that will be sent.', schema: requestedEvent },
  })
  async test(input: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof requestedEvent>> {
    const { target, requestId, origin } = this.commandBasics(input);
    const command: TestEndpoint = { type: 'TestEndpoint', data: target };
    const { repeated } = await this.commands.execute(origin, webhookCommand(command, requestId));
    return response(202, { id: requestedEventId(requestId), type: testEventType }, { replayed: repeated });
  }

  @Endpoint({
    ...common,
    path: '/api/v1/webhook-endpoints/:id/recover',
    summary: 'Send the missed events of an endpoint',
    description: 'Sends every event since the given time that the endpoint subscribes to and has not acknowledged.',
    body: recovery,
    response: { status: 202, description: 'The events will be sent.', schema: nothing },
  })
  async recover(input: Input<typeof recovery, undefined, typeof idParams>): Promise<ResponseOf<typeof nothing>> {
    const { target, requestId, origin } = this.commandBasics(input);
    const command: RecoverEndpoint = { type: 'RecoverEndpoint', data: { ...target, since: input.body.since } };
    const { repeated } = await this.commands.execute(origin, webhookCommand(command, requestId));
    return response(202, {}, { replayed: repeated });
  }

  private commandBasics({
    params,
    caller,
    idempotency,
    ...origin
  }: Omit<Input<undefined, undefined, typeof idParams>, 'body'>) {
    const requestId = idempotency?.commandId ?? randomId();
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const now = this.clock.now().toISOString();
    return { target: { accountId, endpointId: params.id, requestId, now }, requestId, origin };
  }
}
