import { type OperationObject, operationStatuses, type OperationType, operationTypes } from '@florin/operations-domain';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import { type CompanyOptions, connectCompany } from '../company-connection';
import { idempotencyKeyOf, idempotencyKeyOption } from '../idempotency-key';
import { createdOptions, filterOption, metadataOption, wholeNumber } from '../option-values';
import { type Columns, details, money, table } from '../table';
import { addReadCommands, companyCommand, requestOf } from './company-resource';
import { waitForOperation } from './wait-for-operation';

type Operation = OperationObject;
type Quote = Pick<Operation, 'amount' | 'fee' | 'total'>;

const prices: Columns<Quote> = {
  AMOUNT: money(({ amount }) => amount),
  FEE: money(({ fee }) => fee),
  TOTAL: money(({ total }) => total),
};

const columns: Columns<Operation> = {
  ID: ({ id }) => id,
  CREATED: ({ createdAt }) => createdAt,
  TYPE: ({ type }) => type,
  STATUS: ({ status }) => status,
  ...prices,
  CARD: ({ cardId }) => cardId,
  FAILURE: ({ failure }) => failure?.code,
};

interface OrderOptions extends CompanyOptions {
  readonly type: OperationType;
  readonly productId?: string;
  readonly holderId?: string;
  readonly cardId?: string;
  readonly recipient?: string;
}

interface CreateOptions extends OrderOptions {
  readonly idempotencyKey?: string;
  readonly wait?: true;
  readonly timeout: number;
}

const requiredFor: Readonly<Record<OperationType, readonly (keyof OrderOptions)[]>> = {
  issue: ['productId', 'holderId'],
  topup: ['productId', 'cardId'],
  service: ['productId', 'recipient'],
  unload: ['cardId'],
};

export function addOperationCommands(program: Command, context: CliContext): void {
  const operations = program.command('operations').description('Issue, top up and unload cards, and order services.');
  addReadCommands(operations, context, {
    noun: 'operation',
    path: '/operations',
    columns,
    filters: [
      filterOption('--type <type>', 'only operations of this type', operationTypes),
      filterOption('--status <status>', 'only operations with this status', operationStatuses),
      filterOption('--card-id <card-id>', 'only operations that issued, topped up or unloaded this card'),
      metadataOption('only operations with these values in their metadata'),
      ...createdOptions(),
    ],
  });
  addOrderOptions(companyCommand(operations, 'quote'))
    .description('Show the price of an operation. Nothing is reserved.')
    .action(async (options: OrderOptions, command: Command) => {
      checkRequired(options, command);
      const quote = await connectCompany(context, options).post<Quote>('/quotes', requestOf(options));
      context.output(quote, table([quote], prices));
    });
  addOrderOptions(companyCommand(operations, 'create'))
    .description('Create an operation at the quoted total, which is reserved at once.')
    .requiredOption('--expected-total <amount>', 'the total that `operations quote` shows; any other is rejected')
    .addOption(metadataOption('your own values'))
    .addOption(idempotencyKeyOption())
    .option('--wait', 'wait until it has ended; exits with 1 unless it is completed, and with 3 after the timeout')
    .option('--timeout <seconds>', 'of --wait', wholeNumber(1, 86_400), 60)
    .action(async (options: CreateOptions, command: Command) => {
      checkRequired(options, command);
      const { idempotencyKey, wait, timeout, ...body } = requestOf(options);
      const api = connectCompany(context, options);
      const created = await api.post<Operation>('/operations', body, idempotencyKeyOf(context, idempotencyKey));
      const operation = wait ? await waitForOperation(context, api, created, timeout) : created;
      context.output(operation, details(operation));
      if (wait && operation.status !== 'completed') context.exitCode = 1;
    });
}

function addOrderOptions(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what to do').choices(operationTypes).makeOptionMandatory())
    .requiredOption('--amount <amount>', 'US dollars for the card or the recipient, such as 100.00')
    .option('--product-id <product-id>', 'the product; required, but not for an unload')
    .option('--holder-id <holder-id>', 'the holder of the new card; required for an issue')
    .option('--card-id <card-id>', 'the card; required for a topup and an unload')
    .option('--recipient <text>', 'who gets the service; required for a service')
    .option('--name <name>', 'the name of the new card, for an issue');
}

/** What an operation needs depends on its type. */
function checkRequired(options: OrderOptions, command: Command): void {
  const missing = requiredFor[options.type].filter((name) => options[name] === undefined);
  if (missing.length === 0) return;
  const flags = missing.map((name) => command.options.find((option) => option.attributeName() === name)!.flags);
  command.error(`missing ${flags.join(', ')}, required for --type ${options.type}`);
}
