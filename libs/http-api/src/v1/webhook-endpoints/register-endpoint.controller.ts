import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId, randomId, sha256 } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { WebhookQueries } from '@florin/read-models';
import { type EndpointAnswer, type RegisterEndpoint, SECRET_VAULT, type SecretVault } from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import type { Input } from '../../input';
import { endpointWithSecret, registration } from './endpoint-schemas';
import { ReceiverRules } from './receiver-rules';
import { webhookCommand } from './webhook-command';

@Controller()
export class RegisterEndpointController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: WebhookQueries,
    private readonly receivers: ReceiverRules,
    @Inject(SECRET_VAULT) private readonly vault: SecretVault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/webhook-endpoints',
    tag: 'Webhooks',
    summary: 'Register a webhook endpoint',
    description:
      'The endpoint receives all later events. Only this response contains the `secret` that signs its deliveries. A ' +
      'company can have up to 20 endpoints in each environment.',
    scope: 'webhooks:write',
    body: registration,
    response: {
      status: 201,
      description: 'The endpoint with its secret.',
      schema: endpointWithSecret,
      headers: { Location: 'The path of the endpoint' },
    },
    errors: ['quota_exceeded'],
  })
  async register({
    body,
    caller,
    idempotency,
    ...origin
  }: Input<typeof registration>): Promise<ResponseOf<typeof endpointWithSecret>> {
    this.receivers.check(body.url, caller);
    const { companyId, environment } = caller;
    const requestId = idempotency?.commandId ?? randomId();
    const endpointId = deterministicId('webhook endpoint', requestId);
    const secretId = deterministicId('webhook secret', requestId);
    const fingerprint = idempotency?.fingerprint ?? sha256(canonicalJson(body));
    // The secret first, so that no endpoint exists without one. A repetition has the same id and finds the same secret.
    const secret = await this.vault.create(endpointId, secretId);
    const data = { ...body, endpointId, secretId, requestId, fingerprint, now: this.clock.now().toISOString() };
    const accountId = accountIdOf(companyId, environment);
    const command: RegisterEndpoint = {
      type: 'RegisterEndpoint',
      data: { ...data, accountId, companyId, environment },
    };
    const { answer: endpoint, repeated } = await this.commands.execute<EndpointAnswer>(
      origin,
      webhookCommand(command, requestId),
    );
    if (repeated) await this.requireStillThere(caller, endpointId);
    const headers = { location: `/api/v1/webhook-endpoints/${endpointId}` };
    return response(201, { ...endpoint, secret }, { headers, replayed: repeated });
  }

  /** The secret was deleted with the endpoint, and the vault has just created one that belongs to no endpoint. */
  private async requireStillThere({ companyId, environment }: Input['caller'], endpointId: string): Promise<void> {
    if ((await this.queries.endpoint({ companyId, environment }, endpointId)) !== undefined) return;
    await this.vault.destroy(endpointId);
    const message = 'The endpoint that was registered with this Idempotency-Key has been deleted: use a new key.';
    throw new ApiError('idempotency_conflict', message);
  }
}
