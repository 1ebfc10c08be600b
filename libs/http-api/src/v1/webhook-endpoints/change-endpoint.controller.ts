import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { DeleteEndpoint, EndpointAnswer, UpdateEndpoint } from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { type ApiResponse, type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Caller } from '../../caller';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { endpointChange, webhookEndpoint } from './endpoint-schemas';
import { ReceiverRules } from './receiver-rules';
import { webhookCommand } from './webhook-command';

const common = { path: '/api/v1/webhook-endpoints/:id', tag: 'Webhooks', scope: 'webhooks:write' } as const;

@Controller()
export class ChangeEndpointController {
  constructor(
    private readonly commands: Commands,
    private readonly receivers: ReceiverRules,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    ...common,
    method: 'PATCH',
    summary: 'Change a webhook endpoint',
    description:
      'Fields that you omit do not change. A `disabled` endpoint receives no events. After you enable it again, use ' +
      '`recover` to send the missed events.',
    params: idParams,
    body: endpointChange,
    response: { status: 200, description: 'The changed endpoint.', schema: webhookEndpoint },
  })
  async change({
    body,
    params,
    caller,
    ...origin
  }: Input<typeof endpointChange, undefined, typeof idParams>): Promise<ResponseOf<typeof webhookEndpoint>> {
    if (body.url !== undefined) this.receivers.check(body.url, caller);
    const requestId = randomId();
    const data = { ...body, ...this.target(caller, params.id), requestId };
    const command: UpdateEndpoint = { type: 'UpdateEndpoint', data };
    const { answer: changed } = await this.commands.execute<EndpointAnswer>(origin, webhookCommand(command, requestId));
    return response(200, changed);
  }

  @Endpoint({
    ...common,
    method: 'DELETE',
    summary: 'Delete a webhook endpoint',
    description:
      'The endpoint receives no further events, and its secrets are deleted. Past events remain in the list of events.',
    params: idParams,
    response: { status: 204, description: 'The endpoint was deleted.' },
  })
  async delete({
    params,
    caller,
    ...origin
  }: Input<undefined, undefined, typeof idParams>): Promise<ApiResponse<undefined>> {
    const command: DeleteEndpoint = { type: 'DeleteEndpoint', data: this.target(caller, params.id) };
    await this.commands.execute(origin, webhookCommand(command));
    return response(204, undefined);
  }

  private target({ companyId, environment }: Caller, endpointId: string) {
    return { accountId: accountIdOf(companyId, environment), endpointId, now: this.clock.now().toISOString() };
  }
}
