import { cardStatuses } from '@florin/operations-domain';
import type { CardView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { type CompanyOptions, connectCompany } from '../company-connection';
import { filterOption, metadataOption } from '../option-values';
import { type Columns, money, table } from '../table';
import { addReadCommands, companyCommand } from './company-resource';

const columns: Columns<CardView> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  LAST4: ({ last4 }) => last4,
  STATUS: ({ status }) => status,
  BALANCE: money(({ balance }) => balance),
  AVAILABLE: money(({ available }) => available),
  HOLDER: ({ holderId }) => holderId,
  PRODUCT: ({ productId }) => productId,
};

/** What the operator API returns. */
type OwnedCard = CardView & { readonly companyId: string; readonly environment: string };

const ownedColumns: Columns<OwnedCard> = {
  ...columns,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
};

const changes = {
  freeze: 'Freeze a card: it declines payments until it is unfrozen.',
  unfreeze: 'Make a frozen card active again.',
  close: 'Close an empty card permanently.',
};

const status = new Option('--status <status>', 'the new status').choices(['active', 'blocked']).makeOptionMandatory();

export function addCardCommands(program: Command, context: CliContext): void {
  const cards = program.command('cards').description('Read and change cards.');
  addReadCommands(cards, context, {
    noun: 'card',
    path: '/cards',
    columns,
    filters: [
      filterOption('--status <status>', 'only cards with this status', cardStatuses),
      filterOption('--holder-id <holder-id>', 'only cards of this holder'),
      filterOption('--product-id <product-id>', 'only cards of this product'),
      metadataOption('only cards with these values in their metadata'),
    ],
  });
  for (const [change, description] of Object.entries(changes)) {
    companyCommand(cards, `${change} <card-id>`)
      .description(description)
      .action(async (id: string, options: CompanyOptions) => {
        const card = await connectCompany(context, options).post<CardView>(apiPath`/cards/${id}/${change}`);
        context.output(card, table([card], columns));
      });
  }
  cards
    .command('set-status <card-id>')
    .description('Block a card, or unblock it with active. A blocked card can only be unloaded and closed.')
    .addOption(status)
    .action(async (id: string, body: object) => {
      const card = await context.operatorApi().post<OwnedCard>(apiPath`/cards/${id}/status`, body);
      context.output(card, table([card], ownedColumns));
    });
}
