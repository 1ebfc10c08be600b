import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { type ApiKeyDetails, CompanyQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { generateApiKey } from '../../auth/api-key';
import {
  type IdParams,
  OperatorEndpoint,
  type OperatorIdInput,
  type OperatorInput,
  type ResponseOf,
} from '../../endpoint';
import { validationFailed } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { Cursors, optionalPageQuery } from '../../pages';
import { apiKeyId, companyId, paramsOf } from '../../ids';
import { CompanyAdministration } from './company-administration';
import { issuedKey, keyList, keyRequest, revokedKey, rotation } from './company-schemas';

const tag = 'API keys';
const pages = z.strictObject(optionalPageQuery);
const companyParams = paramsOf(companyId);
const keyParams = paramsOf(apiKeyId);
const hourMs = 60 * 60 * 1_000;
const defaultLifeMs = 365 * 24 * hourMs;

@Controller()
export class KeysController {
  constructor(
    private readonly administration: CompanyAdministration,
    private readonly queries: CompanyQueries,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/companies/:id/keys',
    operationId: 'keys.create',
    tag,
    role: 'admin',
    summary: 'Create an API key',
    description: 'Only this response contains the key. The key works on all replicas when the response arrives.',
    params: companyParams,
    body: keyRequest,
    response: { status: 201, description: 'The key.', schema: issuedKey },
  })
  async create(input: OperatorIdInput<typeof keyRequest>): Promise<ResponseOf<typeof issuedKey>> {
    const { params, body } = input;
    const companyId = params.id;
    const keyId = randomId();
    const now = this.clock.now();
    const expiresAt = body.expiresAt ?? later(now, defaultLifeMs);
    if (Date.parse(expiresAt) <= now.getTime()) throw validationFailed('expiresAt must be in the future.');
    await this.administration.findCompany(companyId);
    const { key, secretHash, hint } = generateApiKey(body.environment);
    const data = { ...body, keyId, companyId, secretHash, hint, issuedAt: now.toISOString(), expiresAt };
    await this.administration.changeKey(input, { type: 'IssueApiKey', data });
    return { id: keyId, key };
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/companies/:id/keys',
    operationId: 'keys.list',
    tag,
    role: 'viewer',
    summary: 'List the API keys of a company',
    description: 'Returns all of them, or one page if you send a `limit`.',
    params: companyParams,
    query: pages,
    response: { status: 200, description: 'The keys without their secrets, oldest first.', schema: keyList },
  })
  async list(input: OperatorInput<undefined, typeof pages, IdParams>): Promise<ResponseOf<typeof keyList>> {
    const { id } = input.params;
    await this.administration.findCompany(id);
    // The cursor is valid for this company only.
    const ofCompany = { ...input, endpoint: `${input.endpoint} ${id}` };
    return this.cursors.readList(ofCompany, {
      endOf: ({ issuedAt, keyId }: ApiKeyDetails) => ({ createdAt: issuedAt, id: keyId }),
      bodyOf: keyBody,
      read: (_filters, page) => this.queries.keysOf(id, page),
    });
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/keys/:id/rotate',
    operationId: 'keys.rotate',
    tag,
    role: 'admin',
    summary: 'Replace the secret of an API key',
    description: 'The key keeps its id, scopes and expiry. The old secret stays valid for the overlap.',
    params: keyParams,
    body: rotation,
    response: { status: 200, description: 'The key with its new secret.', schema: issuedKey },
  })
  async rotate(input: OperatorIdInput<typeof rotation>): Promise<ResponseOf<typeof issuedKey>> {
    const keyId = input.params.id;
    const { environment } = mustBeFound(await this.queries.findKey(keyId), 'API key', keyId);
    const { key, secretHash, hint } = generateApiKey(environment);
    const now = this.clock.now();
    const overlapUntil = later(now, input.body.overlapHours * hourMs);
    const data = { keyId, secretHash, hint, rotatedAt: now.toISOString(), overlapUntil };
    await this.administration.changeKey(input, { type: 'RotateApiKey', data });
    return { id: keyId, key };
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/keys/:id/revoke',
    operationId: 'keys.revoke',
    tag,
    role: 'admin',
    summary: 'Revoke an API key',
    description:
      'Permanently revokes the key and all of its secrets. Applies on this replica immediately and on all others within 5 s.',
    params: keyParams,
    response: { status: 200, description: 'When the key was revoked.', schema: revokedKey },
  })
  async revoke(input: OperatorIdInput): Promise<ResponseOf<typeof revokedKey>> {
    const keyId = input.params.id;
    const data = { keyId, revokedAt: this.clock.now().toISOString() };
    const key = await this.administration.changeKey(input, { type: 'RevokeApiKey', data });
    // Revoking again changes nothing and returns the time of the first revocation.
    return { id: keyId, revokedAt: key.revokedAt ?? data.revokedAt };
  }
}

function later(time: Date, milliseconds: number): string {
  return new Date(time.getTime() + milliseconds).toISOString();
}

function keyBody({ keyId, companyId: _company, issuedAt: _issuedAt, ...details }: ApiKeyDetails) {
  return { id: keyId, ...details };
}
