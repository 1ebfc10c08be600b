import type { ApiKeyAnswer, ApiKeyCommand, CompanyCommand } from '@florin/companies-domain';
import { type CompanyView, CompanyQueries } from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../auth/authenticator';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import { mustBeFound } from '../../must-exist';

const context = 'companies';

const refusals = {
  company_unknown: 'not_found',
  key_unknown: 'not_found',
  key_revoked: 'validation_failed',
  key_expired: 'validation_failed',
  overlap_out_of_range: 'validation_failed',
} as const;

/** Sends the commands of operators. A change applies on this replica when the call returns, and on others a second later. */
@Injectable()
export class CompanyAdministration {
  constructor(
    private readonly commands: Commands,
    private readonly queries: CompanyQueries,
    private readonly authenticator: Authenticator,
  ) {}

  /** Returns the company as all replicas read it from now on. */
  async changeCompany(origin: RequestOrigin, command: CompanyCommand): Promise<CompanyView> {
    const { companyId } = command.data;
    await this.commands.execute(origin, { context, key: companyId, command, refusals });
    const company = await this.findCompany(companyId);
    this.authenticator.evictAll();
    return company;
  }

  async changeKey(origin: RequestOrigin, command: ApiKeyCommand): Promise<ApiKeyAnswer> {
    const { keyId } = command.data;
    const { answer } = await this.commands.execute<ApiKeyAnswer>(origin, { context, key: keyId, command, refusals });
    // A key is handed out, and a revocation confirmed, only once the read model shows it.
    await this.queries.findKey(keyId);
    this.authenticator.evictAll();
    return answer;
  }

  async findCompany(companyId: string): Promise<CompanyView> {
    return mustBeFound(await this.queries.find(companyId), 'company', companyId);
  }
}
