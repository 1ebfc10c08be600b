import type { ApiKeyAnswer, ApiKeyCommand, CompanyCommand } from '@florin/companies-domain';
import { type CompanyView, CompanyQueries } from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../auth/authenticator';
import { Commands } from '../../commands';
import { notFound } from '../../errors/api-error';
import type { OperatorInput } from '../../input';

const context = 'companies';

const refusals = {
  company_unknown: 'not_found',
  key_unknown: 'not_found',
  key_revoked: 'validation_failed',
  key_expired: 'validation_failed',
  overlap_out_of_range: 'validation_failed',
} as const;

/** Sends the operator's commands. What they change is in force here when they return, elsewhere a second later. */
@Injectable()
export class CompanyAdministration {
  constructor(
    private readonly commands: Commands,
    private readonly queries: CompanyQueries,
    private readonly authenticator: Authenticator,
  ) {}

  /** Answers with the company as every replica's reads show it from now on. */
  async changeCompany(origin: OperatorOrigin, command: CompanyCommand): Promise<CompanyView> {
    const { companyId } = command.data;
    await this.commands.execute(origin, { context, key: companyId, command, refusals });
    const company = await this.findCompany(companyId);
    this.authenticator.evictAll();
    return company;
  }

  async changeKey(origin: OperatorOrigin, command: ApiKeyCommand): Promise<ApiKeyAnswer> {
    const { keyId } = command.data;
    const { answer } = await this.commands.execute<ApiKeyAnswer>(origin, { context, key: keyId, command, refusals });
    // Only once the read model shows the key may it be handed out, and a revocation be called done.
    await this.queries.findKey(keyId);
    this.authenticator.evictAll();
    return answer;
  }

  async findCompany(companyId: string): Promise<CompanyView> {
    const company = await this.queries.find(companyId);
    if (company === undefined) throw notFound(`There is no company ${companyId}: check the id.`);
    return company;
  }
}

export type OperatorOrigin = Pick<OperatorInput, 'requestId' | 'traceparent'>;
