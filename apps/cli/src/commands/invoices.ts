import { invoiceStatuses } from '@florin/invoicing-domain';
import type { InvoiceView } from '@florin/read-models';
import type { Command } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { addSandboxOptions, type CompanyOptions, connectCompany } from '../company-connection';
import { idempotencyKeyOf, idempotencyKeyOption } from '../idempotency-key';
import { createdOptions, filterOption, metadataOption } from '../option-values';
import { type Columns, details, money } from '../table';
import { addReadCommands, companyCommand, requestOf } from './company-resource';

const path = '/card-account/invoices';

const columns: Columns<InvoiceView> = {
  ID: ({ id }) => id,
  CREATED: ({ createdAt }) => createdAt,
  STATUS: ({ status }) => status,
  DEPOSIT: money(({ depositAmount }) => depositAmount),
  FEE: money(({ fee }) => fee),
  CREDIT: money(({ creditAmount }) => creditAmount),
  USDT: money(({ payAmount }) => payAmount),
  ADDRESS: ({ address }) => address,
  EXPIRES: ({ expiresAt }) => expiresAt,
};

interface CreateOptions extends CompanyOptions {
  readonly idempotencyKey?: string;
}

export function addInvoiceCommands(program: Command, context: CliContext): void {
  const invoices = program.command('invoices').description('Fund the account of a company by invoice.');
  const print = (invoice: object): void => context.output(invoice, details(invoice));

  addReadCommands(invoices, context, {
    noun: 'invoice',
    path,
    columns,
    filters: [
      filterOption('--status <status>', 'only invoices with this status', invoiceStatuses),
      metadataOption('only invoices with these values in their metadata'),
      ...createdOptions(),
    ],
  });
  companyCommand(invoices, 'create')
    .description('Create an invoice, to be paid with exactly its payAmount of USDT on TRON.')
    .requiredOption('--amount <amount>', 'what you will deposit, in whole US dollars; the fee is deducted from it')
    .addOption(metadataOption('your own values'))
    .addOption(idempotencyKeyOption())
    .action(async (options: CreateOptions) => {
      const { idempotencyKey, ...body } = requestOf(options);
      const api = connectCompany(context, options);
      print(await api.post<object>(path, body, idempotencyKeyOf(context, idempotencyKey)));
    });
  companyCommand(invoices, 'cancel <invoice-id>')
    .description('Let a pending invoice expire now. A payment from before still counts.')
    .action(async (id: string, options: CompanyOptions) =>
      print(await connectCompany(context, options).post<object>(`${path}${apiPath`/${id}/cancel`}`)),
    );
  addSandboxOptions(invoices.command('pay <invoice-id>'))
    .description('Simulate the payment of an invoice in the sandbox.')
    .action(async (id: string, options: CompanyOptions) =>
      print(await connectCompany(context, options).post<object>(apiPath`/sandbox/invoices/${id}/complete`)),
    );
}
