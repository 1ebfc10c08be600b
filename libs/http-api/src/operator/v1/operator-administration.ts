import { type OperatorAnswer, type OperatorCommand, operatorDirectoryId } from '@florin/companies-domain';
import { OperatorQueries, type OperatorView } from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { OperatorAuthenticator } from '../../auth/operator-authenticator';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import { mustBeFound } from '../../must-exist';

const refusals = {
  operator_unknown: 'not_found',
  operator_disabled: 'validation_failed',
  email_taken: 'already_exists',
} as const;

/** Sends commands about operators. A change applies on this replica when the call returns, and on others a second later. */
@Injectable()
export class OperatorAdministration {
  constructor(
    private readonly commands: Commands,
    private readonly queries: OperatorQueries,
    private readonly authenticator: OperatorAuthenticator,
  ) {}

  /** Returns the operator as all replicas read it from now on. */
  async change(origin: RequestOrigin, command: OperatorCommand): Promise<OperatorView> {
    const message = { context: 'companies', key: operatorDirectoryId, command, refusals };
    await this.commands.execute<OperatorAnswer>(origin, message);
    // A token is handed out, and a disabled operator confirmed, only once the read model shows it.
    const operator = await this.find(command.data.operatorId);
    this.authenticator.evictAll();
    return operator;
  }

  async find(operatorId: string): Promise<OperatorView> {
    return mustBeFound(await this.queries.find(operatorId), 'operator', operatorId);
  }
}
