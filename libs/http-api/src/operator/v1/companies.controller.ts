import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { CompanyQueries, type CompanyView } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { OperatorEndpoint, type OperatorIdInput, type OperatorInput, type ResponseOf } from '../../endpoint';
import { Cursors, optionalPageQuery } from '../../pages';
import { companyId, paramsOf } from '../../ids';
import { CompanyAdministration } from './company-administration';
import {
  activationChange,
  company,
  companyBody,
  companyList,
  registration,
  verificationChange,
} from './company-schemas';

const tag = 'Companies';
const pages = z.strictObject(optionalPageQuery);
const params = paramsOf(companyId);

@Controller()
export class CompaniesController {
  constructor(
    private readonly administration: CompanyAdministration,
    private readonly queries: CompanyQueries,
    private readonly cursors: Cursors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/companies',
    operationId: 'companies.create',
    tag,
    role: 'admin',
    summary: 'Register a company',
    description: 'The verification of a new company is `pending`. Its keys do not work until it is `approved`.',
    body: registration,
    response: { status: 201, description: 'The company.', schema: company },
  })
  async register(input: OperatorInput<typeof registration>): Promise<ResponseOf<typeof company>> {
    const data = { companyId: randomId(), ...input.body };
    const registered = await this.administration.changeCompany(input, { type: 'RegisterCompany', data });
    return companyBody(registered);
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/companies',
    operationId: 'companies.list',
    tag,
    role: 'viewer',
    summary: 'List all companies',
    description: 'Returns all of them, or one page if you send a `limit`.',
    query: pages,
    response: { status: 200, description: 'The companies, oldest first.', schema: companyList },
  })
  list(input: OperatorInput<undefined, typeof pages>): Promise<ResponseOf<typeof companyList>> {
    return this.cursors.readList(input, {
      endOf: ({ createdAt, companyId }: CompanyView) => ({ createdAt, id: companyId }),
      bodyOf: companyBody,
      read: (_filters, page) => this.queries.list(page),
    });
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/companies/:id/verification',
    operationId: 'companies.setVerification',
    tag,
    role: 'admin',
    summary: 'Set the verification of a company',
    params,
    body: verificationChange,
    response: { status: 200, description: 'The company.', schema: company },
  })
  async verify(input: OperatorIdInput<typeof verificationChange>): Promise<ResponseOf<typeof company>> {
    const data = { companyId: input.params.id, ...input.body, ...this.newRequest() };
    const verified = await this.administration.changeCompany(input, { type: 'SetVerification', data });
    return companyBody(verified);
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/companies/:id/activations',
    operationId: 'companies.setActivation',
    tag,
    role: 'admin',
    summary: 'Activate or deactivate a live capability of a company',
    params,
    body: activationChange,
    response: { status: 200, description: 'The company.', schema: company },
  })
  async activate(input: OperatorIdInput<typeof activationChange>): Promise<ResponseOf<typeof company>> {
    const data = { companyId: input.params.id, ...input.body, ...this.newRequest() };
    const changed = await this.administration.changeCompany(input, { type: 'SetActivation', data });
    return companyBody(changed);
  }

  private newRequest() {
    return { requestId: randomId(), requestedAt: this.clock.now().toISOString() };
  }
}
