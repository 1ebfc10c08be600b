import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { HOLDER_VAULT, type HolderCommand, type HolderVault } from '@florin/operations-domain';
import { HolderQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { OperatorEndpoint, type OperatorIdInput, type RequestOrigin, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { companyId, exampleIds, holderId, paramsOf, storedEventId } from '../../ids';
import { actor, environment, timestamp } from '../../schemas';
import { HolderErasures } from './holder-erasures';
import { holder, holderBody, holderStatus } from '../../v1/holders/holder-schemas';

const tag = 'Holders';
const params = paramsOf(holderId);
const statusChange = z
  .strictObject({ status: holderStatus })
  .meta({ id: 'HolderStatusChange', description: 'The new status of a cardholder' });
const operatorHolder = holder
  .extend({ companyId, environment })
  .meta({ id: 'OperatorHolder', description: 'A cardholder with its company' });

const exampleErased = {
  id: exampleIds.holder,
  name: '[erased]',
  email: '[erased]',
  kind: 'individual',
  status: 'inactive',
  externalId: 'customer-4711',
  updatedAt: '2030-01-31T12:00:00.000Z',
  companyId: exampleIds.company,
  environment: 'live',
};

const digest = 'ab'.repeat(32);

const certificate = z
  .strictObject({
    holderId,
    companyId,
    environment,
    erasedAt: timestamp,
    erasedBy: actor.nullable().meta({ description: 'Who erased the holder; null if that is unknown' }),
    sealedTexts: z.int().meta({ description: 'Encrypted texts with personal data in the log', examples: [1] }),
    readableTexts: z.int().meta({ description: 'How many of them can still be decrypted; 0 proves the erasure' }),
    event: z
      .strictObject({
        id: storedEventId,
        stream: z.string().meta({ description: 'The stream of the event' }),
        revision: z.int().meta({ description: 'The place in the stream, from 0' }),
        position: z.string().meta({ description: 'The place in the log', examples: ['42000'] }),
        hash: z.string().meta({ description: 'The hash of the event in the chain of its stream', examples: [digest] }),
      })
      .meta({ id: 'ErasureEvent', description: 'The event that records the erasure' }),
    hashChain: z
      .strictObject({
        events: z.int().meta({ description: 'The number of verified events' }),
        isValid: z.boolean().meta({ description: 'The erasure did not change any event' }),
      })
      .meta({ id: 'VerifiedHashChain', description: 'The hash chain of the stream with all holders of the account' }),
  })
  .meta({ id: 'ErasureCertificate', description: 'The proof of an erasure' });

const refusals = { holder_unknown: 'not_found', holder_erased: 'validation_failed' } as const;

type HolderResponse = ResponseOf<typeof operatorHolder>;

@Controller()
export class OperatorHoldersController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: HolderQueries,
    private readonly erasures: HolderErasures,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/holders/:id/status',
    operationId: 'holders.setStatus',
    tag,
    role: 'support',
    summary: 'Set the status of a cardholder',
    description:
      'Live holders are `pending` until an operator sets them to `active`. Cards can be issued only to active holders.',
    params,
    body: statusChange,
    response: { status: 200, description: 'The holder.', schema: operatorHolder },
  })
  async setStatus(input: OperatorIdInput<typeof statusChange>): Promise<HolderResponse> {
    const holderId = input.params.id;
    const accountId = await this.accountOf(holderId);
    const requestedAt = this.clock.now().toISOString();
    const data = { accountId, holderId, status: input.body.status, requestId: randomId(), requestedAt };
    return this.change(input, { type: 'SetHolderStatus', data });
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/holders/:id/erase',
    operationId: 'holders.erase',
    tag,
    role: 'support',
    summary: 'Erase the personal data of a cardholder',
    description:
      '**This cannot be undone.** Destroys the only key to the name and e-mail address, so that they cannot be read from the ' +
      'log, a backup or a replay. The holder becomes `inactive`. Cards, operations and amounts do not change. If you get no ' +
      'response, repeat the request.',
    params,
    response: {
      status: 200,
      description: 'The holder without personal data.',
      schema: operatorHolder,
      example: exampleErased,
    },
  })
  async erase(input: OperatorIdInput): Promise<HolderResponse> {
    const holderId = input.params.id;
    const accountId = await this.accountOf(holderId);
    // The key first: without it the data is unreadable, even after a crash right after this line.
    await this.vault.destroy(holderId);
    return this.change(input, { type: 'EraseHolder', data: { accountId, holderId } });
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/holders/:id/erasure',
    operationId: 'holders.getErasure',
    tag,
    role: 'support',
    summary: 'Certify the erasure of a cardholder',
    description:
      'Returns what was destroyed, when and by whom. Checks now that none of the encrypted texts in the log can be decrypted, and ' +
      'that the hash chain of the log is intact.',
    params,
    response: { status: 200, description: 'The certificate.', schema: certificate },
  })
  async certify(input: OperatorIdInput): Promise<ResponseOf<typeof certificate>> {
    const holderId = input.params.id;
    const { companyId, environment } = await this.find(holderId);
    const erasure = await this.erasures.certificate(accountIdOf(companyId, environment), holderId);
    return { holderId, companyId, environment, ...mustBeFound(erasure, 'erasure of holder', holderId) };
  }

  private async accountOf(holderId: string): Promise<string> {
    const { companyId, environment } = await this.find(holderId);
    return accountIdOf(companyId, environment);
  }

  private async change(origin: RequestOrigin, command: HolderCommand): Promise<HolderResponse> {
    const { accountId, holderId } = command.data;
    await this.commands.execute(origin, { context: 'operations', key: accountId, id: randomId(), command, refusals });
    const found = await this.find(holderId);
    const { companyId, environment } = found;
    return { ...holderBody(found), companyId, environment };
  }

  private async find(holderId: string) {
    return mustBeFound(await this.queries.findAnywhere(holderId), 'holder', holderId);
  }
}
