import { holderStatuses } from '@florin/operations-domain';
import type { OwnedHolderView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import { UsageError } from '../cli-errors';
import { type Columns, table } from '../table';

type Holder = Omit<OwnedHolderView, 'createdAt'>;

const columns: Columns<Holder> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  'E-MAIL': ({ email }) => email,
  KIND: ({ kind }) => kind,
  STATUS: ({ status }) => status,
  'EXTERNAL ID': ({ externalId }) => externalId,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
};

const remainingCopies =
  'The key to the name and e-mail address is destroyed. Older backups of the schema vault still contain it, ' +
  'and the issuer may keep its own copy. docs/OPERATIONS.md lists the remaining steps.';

const status = new Option('--status <status>', 'the new status').choices(holderStatuses).makeOptionMandatory();

export function addHolderCommands(program: Command, context: CliContext): void {
  const holders = program.command('holders').description('Manage cardholders.');
  const holderPath = (id: string): string => `/holders/${encodeURIComponent(id)}`;
  holders
    .command('set-status <holder-id>')
    .description('Set the status of a cardholder. Live holders start as pending; only active ones can get cards.')
    .addOption(status)
    .action(async (id: string, body: object) => {
      const holder = await context.operatorApi().post<Holder>(`${holderPath(id)}/status`, body);
      context.output(holder, table([holder], columns));
    });
  holders
    .command('erase <holder-id>')
    .description('Erase the name and e-mail address of a cardholder. THIS CANNOT BE UNDONE.')
    .option('--yes', 'confirm the erasure; without it nothing happens')
    .action(async (id: string, { yes = false }: { readonly yes?: boolean }) => {
      if (!yes) throw confirmationRequired(id);
      const holder = await context.operatorApi().post<Holder>(`${holderPath(id)}/erase`);
      context.output(holder, `${table([holder], columns)}\n\n${remainingCopies}`);
    });
}

function confirmationRequired(id: string): UsageError {
  return new UsageError(
    `Erasing holder ${id} cannot be undone: the name and e-mail address become unreadable, ` +
      'and no card can be issued to the holder. Confirm with --yes.',
  );
}
