import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId, KeyDestroyed, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import {
  type ChangeHolder,
  HOLDER_VAULT,
  type HolderAnswer,
  type HolderDetails,
  type HolderStatus,
  type HolderVault,
  type RegisterHolder,
} from '@florin/operations-domain';
import { HolderQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { type Accepted, Commands } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { ApiError, validationFailed } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, optionalPageQuery, pageOf } from '../../pages';
import { holderId, paramsOf } from '../../ids';
import { metadataFilter } from '../../schemas';
import { externalId, holder, holderBody, holderChange, holderKind, holderStatus, registration } from './holder-schemas';

const filters = z.strictObject({
  ...optionalPageQuery,
  kind: holderKind.optional().meta({ description: 'Only holders of this kind' }),
  status: holderStatus.optional().meta({ description: 'Only holders with this status' }),
  externalId: externalId.optional().meta({ description: 'Only the holder with this `externalId`' }),
  metadata: metadataFilter.optional(),
});
const holders = pageOf('HolderPage', holder);

const params = paramsOf(holderId);

const changeRefusals = {
  holder_unknown: 'not_found',
  holder_erased: 'validation_failed',
  status_not_allowed: 'validation_failed',
} as const;

@Controller()
export class HoldersController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: HolderQueries,
    private readonly cursors: Cursors,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/holders',
    operationId: 'holders.list',
    tag: 'Holders',
    summary: 'List cardholders',
    description: 'Returns all holders, newest first, or one page if you send a `limit`. With many holders, use pages.',
    scope: 'holders:read',
    query: filters,
    response: { status: 200, description: 'The holders.', schema: holders },
  })
  list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof holders>> {
    return this.cursors.readList(input, {
      endOf: byCreation,
      bodyOf: holderBody,
      read: (wanted, page) => this.queries.list(input.caller, wanted, page),
    });
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/holders/:id',
    operationId: 'holders.get',
    tag: 'Holders',
    summary: 'Read a cardholder',
    description: 'The name and e-mail address of an erased holder are `[erased]`.',
    scope: 'holders:read',
    params,
    response: { status: 200, description: 'The holder.', schema: holder },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof holder>> {
    return holderBody(mustBeFound(await this.queries.find(caller, id), 'holder', id));
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/holders',
    operationId: 'holders.create',
    tag: 'Holders',
    summary: 'Create a cardholder',
    description:
      '`externalId` must be unique within the company and environment. Sandbox holders are `active` immediately; live holders are `pending` until an operator approves them.',
    scope: 'holders:write',
    body: registration,
    response: { status: 201, description: 'The holder.', schema: holder },
    errors: ['already_exists'],
  })
  async register(input: Input<typeof registration>): Promise<ResponseOf<typeof holder>> {
    const { body, idempotency } = input;
    const { companyId, environment } = input.caller;
    const accountId = accountIdOf(companyId, environment);
    const requestId = idempotency?.commandId ?? randomId();
    const holderId = deterministicId('holder', requestId);
    const { name, email, kind, externalId, metadata } = body;
    const status: HolderStatus = environment === 'sandbox' ? 'active' : 'pending';
    // The key first, so that no holder is registered without one.
    await this.vault.prepare(holderId, accountId);
    const sealedDetails = await this.seal(holderId, body);
    const createdAt = this.clock.now().toISOString();
    const registered = { holderId, companyId, environment, kind, externalId, status, requestId, createdAt } as const;
    const command: RegisterHolder = {
      type: 'RegisterHolder',
      data: { ...registered, accountId, ...sealedDetails },
    };
    const { answer, repeated } = await this.execute(input, command);
    // A repetition has the same body, else it would be a conflict, so this equals the original response.
    const { externalId: stored, createdAt: updatedAt } = answer;
    const view = { id: holderId, name, email, kind, status, externalId: stored, metadata, createdAt, updatedAt };
    return new ApiResponse(holderBody(view), { replayed: repeated });
  }

  @Endpoint({
    method: 'PATCH',
    path: '/api/v1/holders/:id',
    operationId: 'holders.update',
    tag: 'Holders',
    summary: 'Change a cardholder',
    description: 'Changes the given fields. An erased holder cannot be changed.',
    scope: 'holders:write',
    params,
    body: holderChange,
    response: { status: 200, description: 'The changed holder.', schema: holder },
  })
  async change(input: IdInput<typeof holderChange>): Promise<ResponseOf<typeof holder>> {
    const { caller, body, params } = input;
    const holderId = params.id;
    // Before sealing, which would create a key for an unknown holder.
    mustBeFound(await this.queries.find(caller, holderId), 'holder', holderId);
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const request = { requestId: randomId(), requestedAt: this.clock.now().toISOString() };
    const status = body.status === undefined ? {} : { status: body.status };
    const data = { accountId, holderId, ...request, ...status, ...(await this.sealChange(holderId, body)) };
    await this.commands.execute(input, {
      context: 'operations',
      key: accountId,
      id: request.requestId,
      command: { type: 'ChangeHolder', data } satisfies ChangeHolder,
      refusals: changeRefusals,
    });
    return holderBody(mustBeFound(await this.queries.find(caller, holderId), 'holder', holderId));
  }

  /** Each field separately, because the others may be changed at the same time. */
  private async sealChange(holderId: string, { name, email, metadata }: z.output<typeof holderChange>) {
    const seal = async (details: Partial<HolderDetails>) => this.vault.seal(holderId, details);
    try {
      return {
        ...(name !== undefined && { sealedName: await seal({ name }) }),
        ...(email !== undefined && { sealedEmail: await seal({ email }) }),
        ...(metadata !== undefined && { sealedMetadata: await seal({ metadata }) }),
      };
    } catch (error) {
      if (!(error instanceof KeyDestroyed)) throw error;
      throw validationFailed(`Holder ${holderId} was erased and stays inactive: register the person again.`);
    }
  }

  /** A taken `externalId` is never free again, so the refused registration cannot be accepted by a redelivery. */
  private async execute(input: Input<typeof registration>, command: RegisterHolder): Promise<Accepted<HolderAnswer>> {
    const { accountId: key, requestId: id, holderId } = command.data;
    const refusals = { external_id_taken: 'already_exists' } as const;
    try {
      return await this.commands.execute<HolderAnswer>(input, { context: 'operations', key, id, command, refusals });
    } catch (error) {
      if (error instanceof ApiError && error.code === refusals.external_id_taken) await this.vault.discard(holderId);
      throw error;
    }
  }

  /** The sealed data can be read only with the key of this holder, which is never stored in the log. */
  private async seal(holderId: string, body: z.output<typeof registration>) {
    const { name, email, metadata } = body;
    try {
      const sealed = await this.vault.seal(holderId, { name, email });
      const sealedMetadata = metadata && { sealedMetadata: await this.vault.seal(holderId, { metadata }) };
      return { sealed, ...sealedMetadata, fingerprint: await this.vault.fingerprint(holderId, canonicalJson(body)) };
    } catch (error) {
      if (error instanceof KeyDestroyed) throw erasedSince();
      throw error;
    }
  }
}

function erasedSince(): ApiError {
  const message = 'The holder that was created with this Idempotency-Key has been erased: use a new key.';
  return new ApiError('idempotency_conflict', message);
}
