import { CLOCK } from '@florin/event-sourcing';
import { type Clock, deterministicId, randomId } from '@florin/kernel';
import { HOLDER_VAULT, type HolderVault } from '@florin/operations-domain';
import { OperatorQueries, type OperatorView } from '@florin/read-models';
import { Controller, Inject, Module } from '@nestjs/common';
import { z } from 'zod';
import { bootstrapOperator } from '../../auth/operator-authenticator';
import { generateOperatorToken } from '../../auth/operator-token';
import { OperatorEndpoint, type OperatorIdInput, type OperatorInput, type ResponseOf } from '../../endpoint';
import { Cursors, optionalPageQuery } from '../../pages';
import { operatorId, paramsOf } from '../../ids';
import { OperatorAdministration } from './operator-administration';
import {
  currentOperator,
  issuedToken,
  operator,
  operatorBody,
  operatorList,
  operatorRequest,
  roleChange,
} from './operator-schemas';

const tag = 'Operators';
const pages = z.strictObject(optionalPageQuery);
const params = paramsOf(operatorId);
/** The key of the vault with which e-mail addresses of operators are hashed. */
const emailKeyId = deterministicId('vault', 'operator-emails');

@Controller()
export class OperatorsController {
  constructor(
    private readonly administration: OperatorAdministration,
    private readonly queries: OperatorQueries,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/operators',
    operationId: 'operators.create',
    tag,
    role: 'admin',
    summary: 'Create an operator',
    description:
      'Only this response contains the token. The token works on all replicas when the response arrives. An e-mail address ' +
      'belongs to at most one enabled operator.',
    body: operatorRequest,
    response: { status: 201, description: 'The token of the operator.', schema: issuedToken },
    errors: ['already_exists'],
  })
  async create(input: OperatorInput<typeof operatorRequest>): Promise<ResponseOf<typeof issuedToken>> {
    const { name, email, role } = input.body;
    const operatorId = randomId();
    const { token, tokenHash, hint } = generateOperatorToken();
    const sealed = await this.vault.seal(operatorId, { name, email });
    const emailHash = await this.vault.fingerprint(emailKeyId, email.toLowerCase());
    const createdAt = this.clock.now().toISOString();
    const data = { operatorId, sealed, emailHash, role, tokenHash, hint, createdAt };
    await this.administration.change(input, { type: 'CreateOperator', data });
    return { id: operatorId, token };
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/operators',
    operationId: 'operators.list',
    tag,
    role: 'viewer',
    summary: 'List all operators',
    description: 'Returns all of them, or one page if you send a `limit`.',
    query: pages,
    response: { status: 200, description: 'The operators without their tokens, oldest first.', schema: operatorList },
  })
  list(input: OperatorInput<undefined, typeof pages>): Promise<ResponseOf<typeof operatorList>> {
    return this.cursors.readList(input, {
      endOf: ({ createdAt, operatorId }: OperatorView) => ({ createdAt, id: operatorId }),
      bodyOf: operatorBody,
      read: (_filters, page) => this.queries.list(page),
    });
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/operators/me',
    operationId: 'operators.getCurrent',
    tag,
    role: 'viewer',
    summary: 'Show the operator of the token',
    description: 'The operator `bootstrap` has the token of the configuration, and no name.',
    response: { status: 200, description: 'The operator.', schema: currentOperator },
  })
  async me({ actor }: OperatorInput): Promise<ResponseOf<typeof currentOperator>> {
    if (actor.id === bootstrapOperator.id) return bootstrapOperator;
    const { operatorId: id, role, name, email } = await this.administration.find(actor.id);
    return { id, role, name, email };
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/operators/:id',
    operationId: 'operators.get',
    tag,
    role: 'viewer',
    summary: 'Show an operator',
    params,
    response: { status: 200, description: 'The operator without the token.', schema: operator },
  })
  async show({ params }: OperatorIdInput): Promise<ResponseOf<typeof operator>> {
    return operatorBody(await this.administration.find(params.id));
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/operators/:id/role',
    operationId: 'operators.setRole',
    tag,
    role: 'admin',
    summary: 'Change the role of an operator',
    description: 'Applies on this replica immediately and on all others within 5 s.',
    params,
    body: roleChange,
    response: { status: 200, description: 'The operator.', schema: operator },
  })
  async changeRole(input: OperatorIdInput<typeof roleChange>): Promise<ResponseOf<typeof operator>> {
    const requestedAt = this.clock.now().toISOString();
    const data = { operatorId: input.params.id, role: input.body.role, requestId: randomId(), requestedAt };
    return operatorBody(await this.administration.change(input, { type: 'ChangeOperatorRole', data }));
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/operators/:id/rotate',
    operationId: 'operators.rotateToken',
    tag,
    role: 'admin',
    summary: 'Replace the token of an operator',
    description:
      'Only this response contains the new token. The old one ends on this replica immediately and on all others within 5 s.',
    params,
    response: { status: 200, description: 'The new token.', schema: issuedToken },
  })
  async rotate(input: OperatorIdInput): Promise<ResponseOf<typeof issuedToken>> {
    const operatorId = input.params.id;
    const { token, tokenHash, hint } = generateOperatorToken();
    const data = { operatorId, tokenHash, hint, rotatedAt: this.clock.now().toISOString() };
    await this.administration.change(input, { type: 'RotateOperatorToken', data });
    return { id: operatorId, token };
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/operators/:id/disable',
    operationId: 'operators.disable',
    tag,
    role: 'admin',
    summary: 'Disable an operator',
    description:
      'Permanently ends the access of the operator, on this replica immediately and on all others within 5 s. The e-mail ' +
      'address can be used for a new operator.',
    params,
    response: { status: 200, description: 'The disabled operator.', schema: operator },
  })
  async disable(input: OperatorIdInput): Promise<ResponseOf<typeof operator>> {
    const data = { operatorId: input.params.id, disabledAt: this.clock.now().toISOString() };
    return operatorBody(await this.administration.change(input, { type: 'DisableOperator', data }));
  }
}

@Module({ controllers: [OperatorsController], providers: [OperatorAdministration] })
export class OperatorsApiModule {}
