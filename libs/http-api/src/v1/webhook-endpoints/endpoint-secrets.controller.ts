import { canonicalJson, deterministicId, sha256 } from '@florin/kernel';
import { AcceptedRequestQueries, WebhookQueries } from '@florin/read-models';
import {
  type EndpointAnswer,
  type RegisterEndpoint,
  type RotateEndpointSecret,
  SECRET_VAULT,
  type SecretVault,
} from '@florin/webhooks-domain';
import { Controller, Inject } from '@nestjs/common';
import type { Accepted } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { paramsOf, webhookEndpointId } from '../../ids';
import { endpointWithSecret, registration } from './endpoint-schemas';
import { ReceiverRules } from './receiver-rules';
import { WebhookCommands } from './webhook-commands';
import { RateLimiter } from '../../rate-limit/rate-limiter';
import { tokensPerRotation } from '../../rate-limit/request-costs';

const overlapMs = 24 * 60 * 60 * 1000;

/** The requests that create a secret. Only their responses contain it. */
@Controller()
export class EndpointSecretsController {
  constructor(
    private readonly commands: WebhookCommands,
    private readonly queries: WebhookQueries,
    private readonly acceptedRequests: AcceptedRequestQueries,
    private readonly receivers: ReceiverRules,
    private readonly limiter: RateLimiter,
    @Inject(SECRET_VAULT) private readonly vault: SecretVault,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/webhook-endpoints',
    operationId: 'webhookEndpoints.create',
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
  async register(input: Input<typeof registration>): Promise<ResponseOf<typeof endpointWithSecret>> {
    const { body, caller, idempotency } = input;
    const { companyId, environment } = caller;
    this.receivers.check(body.url, caller);
    const fields = this.commands.fieldsOf(input);
    const endpointId = deterministicId('webhook endpoint', fields.requestId);
    const secretId = deterministicId('webhook secret', fields.requestId);
    const fingerprint = idempotency?.fingerprint ?? sha256(canonicalJson(body));
    if (idempotency !== undefined) await this.requireNotDeleted(caller, endpointId, fields.requestId);
    // The secret first, so that no endpoint exists without one. A repetition has the same id and finds the same secret.
    await this.vault.create(endpointId, secretId);
    const command: RegisterEndpoint = {
      type: 'RegisterEndpoint',
      data: { ...body, ...fields, companyId, environment, endpointId, secretId, fingerprint },
    };
    const { answer: endpoint, repeated } = await this.execute(input, command);
    if (repeated) await this.requireStillThere(caller, endpointId);
    // Again, because a refused duplicate of this request may have deleted it.
    const secret = await this.vault.create(endpointId, secretId);
    const headers = { location: `/api/v1/webhook-endpoints/${endpointId}` };
    return new ApiResponse({ ...endpoint, secret }, { headers, replayed: repeated });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/webhook-endpoints/:id/rotate-secret',
    operationId: 'webhookEndpoints.rotateSecret',
    tag: 'Webhooks',
    summary: "Replace a webhook endpoint's secret",
    description:
      'For 24 hours every delivery has two signatures, one with the old and one with the new secret, so that you can ' +
      'replace it without losing events.',
    scope: 'webhooks:write',
    params: paramsOf(webhookEndpointId),
    response: { status: 200, description: 'The endpoint with its new secret.', schema: endpointWithSecret },
  })
  async rotate(input: IdInput): Promise<ResponseOf<typeof endpointWithSecret>> {
    const endpointId = input.params.id;
    // Checked before a secret is created, so that requests for unknown endpoints do not fill the vault.
    const known = mustBeFound(await this.queries.endpoint(input.caller, endpointId), 'webhook endpoint', endpointId);
    this.limiter.charge(input.caller, tokensPerRotation - 1);
    const fields = this.commands.fieldsOf(input);
    const secretId = deterministicId('webhook secret', fields.requestId);
    await this.vault.create(endpointId, secretId);
    const overlapUntil = new Date(Date.parse(fields.now) + overlapMs).toISOString();
    const command: RotateEndpointSecret = {
      type: 'RotateEndpointSecret',
      data: { ...fields, endpointId, secretId, overlapUntil },
    };
    const { answer, repeated } = await this.commands.executeOnce<EndpointAnswer | null>(input, command, () => known);
    const endpoint = mustBeFound(answer ?? undefined, 'webhook endpoint', endpointId);
    const secret = await this.vault.create(endpointId, secretId);
    return new ApiResponse({ ...endpoint, secret }, { replayed: repeated });
  }

  /** Its account does not remember every deleted endpoint, and would register it again. */
  private async requireNotDeleted(caller: Input['caller'], endpointId: string, requestId: string): Promise<void> {
    if ((await this.acceptedRequests.find(caller, requestId)) === undefined) return;
    if ((await this.queries.endpoint(caller, endpointId)) === undefined) throw deletedSince();
  }

  /** A conflict with an endpoint that was deleted leaves a new secret behind, which belongs to no endpoint. */
  private async execute(
    input: Input<typeof registration>,
    command: RegisterEndpoint,
  ): Promise<Accepted<EndpointAnswer>> {
    try {
      return await this.commands.execute<EndpointAnswer>(input, command);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'idempotency_conflict') {
        await this.deleteSecretsIfGone(input.caller, command.data.endpointId);
      }
      throw error;
    }
  }

  private async requireStillThere(caller: Input['caller'], endpointId: string): Promise<void> {
    if (await this.deleteSecretsIfGone(caller, endpointId)) throw deletedSince();
  }

  /** The secret was deleted with the endpoint, and the vault has just created one that belongs to no endpoint. */
  private async deleteSecretsIfGone(caller: Input['caller'], endpointId: string): Promise<boolean> {
    if ((await this.queries.endpoint(caller, endpointId)) !== undefined) return false;
    await this.vault.destroy(endpointId);
    return true;
  }
}

function deletedSince(): ApiError {
  const message = 'The endpoint that was registered with this Idempotency-Key has been deleted: use a new key.';
  return new ApiError('idempotency_conflict', message);
}
