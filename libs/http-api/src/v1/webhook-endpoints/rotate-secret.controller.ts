import { CLOCK } from '@florin/event-sourcing';
import { type Clock, deterministicId, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { WebhookQueries } from '@florin/read-models';
import {
  type EndpointAnswer,
  type RotateEndpointSecret,
  SECRET_VAULT,
  type SecretVault,
} from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { endpointWithSecret } from './endpoint-schemas';
import { webhookCommand } from './webhook-command';

const overlapMs = 24 * 60 * 60 * 1000;

@Controller()
export class RotateSecretController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: WebhookQueries,
    @Inject(SECRET_VAULT) private readonly vault: SecretVault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/rotate-secret',
    tag: 'Webhooks',
    summary: "Replace a webhook endpoint's secret",
    description:
      'For 24 hours every delivery has two signatures, one with the old and one with the new secret, so that you can ' +
      'replace it without losing events.',
    scope: 'webhooks:write',
    params: idParams,
    response: { status: 200, description: 'The endpoint with its new secret.', schema: endpointWithSecret },
  })
  async rotate({
    params,
    caller,
    idempotency,
    ...origin
  }: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof endpointWithSecret>> {
    const { companyId, environment } = caller;
    const endpointId = params.id;
    // Checked before a secret is created, so that requests for unknown endpoints do not fill the vault.
    const known = await this.queries.endpoint({ companyId, environment }, endpointId);
    if (known === undefined) throw notFound(`There is no webhook endpoint ${endpointId}: check the id.`);
    const requestId = idempotency?.commandId ?? randomId();
    const secretId = deterministicId('webhook secret', requestId);
    const secret = await this.vault.create(endpointId, secretId);
    const now = this.clock.now();
    const overlapUntil = new Date(now.getTime() + overlapMs).toISOString();
    const accountId = accountIdOf(companyId, environment);
    const command: RotateEndpointSecret = {
      type: 'RotateEndpointSecret',
      data: { accountId, endpointId, secretId, requestId, overlapUntil, now: now.toISOString() },
    };
    const { answer: endpoint, repeated } = await this.commands.execute<EndpointAnswer>(
      origin,
      webhookCommand(command, requestId),
    );
    return response(200, { ...endpoint, secret }, { replayed: repeated });
  }
}
