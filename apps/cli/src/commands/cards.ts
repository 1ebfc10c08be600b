import type { CardView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import { type Columns, table } from '../table';

type Card = CardView & { readonly companyId: string; readonly environment: string };

const columns: Columns<Card> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  LAST4: ({ last4 }) => last4,
  STATUS: ({ status }) => status,
  BALANCE: ({ balance }) => balance,
  AVAILABLE: ({ available }) => available,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
};

const status = new Option('--status <status>', 'the new status').choices(['active', 'blocked']).makeOptionMandatory();

export function addCardCommands(program: Command, context: CliContext): void {
  const cards = program.command('cards').description('Block and unblock cards.');
  cards
    .command('set-status <card-id>')
    .description('Block a card, or unblock it with active. A blocked card can only be unloaded and closed.')
    .addOption(status)
    .action(async (id: string, body: object) => {
      const card = await context.operatorApi().post<Card>(`/cards/${encodeURIComponent(id)}/status`, body);
      context.output(card, table([card], columns));
    });
}
