import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import { type CompanyOptions, connectCompany } from '../company-connection';
import { type Columns, money, table } from '../table';
import { companyCommand } from './company-resource';

interface Balance {
  readonly available: string;
  readonly held: string;
  readonly balance: string;
  readonly currency: string;
  readonly environment: string;
}

const columns: Columns<Balance> = {
  AVAILABLE: money(({ available }) => available),
  HELD: money(({ held }) => held),
  BALANCE: money(({ balance }) => balance),
  CURRENCY: ({ currency }) => currency,
  ENVIRONMENT: ({ environment }) => environment,
};

export function addBalanceCommand(program: Command, context: CliContext): void {
  companyCommand(program, 'balance')
    .description('Show the balance of the card account of a company.')
    .action(async (options: CompanyOptions) => {
      const balance = await connectCompany(context, options).get<Balance>('/balance');
      context.output(balance, table([balance], columns));
    });
}
