import type { Actor } from '@florin/kernel';
import { holderKinds, holderStatuses } from '@florin/operations-domain';
import type { HolderView, OwnedHolderView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { UsageError } from '../cli-errors';
import { type CompanyOptions, connectCompany } from '../company-connection';
import { idempotencyKeyOf, idempotencyKeyOption } from '../idempotency-key';
import { filterOption, metadataOption } from '../option-values';
import { type Columns, table } from '../table';
import { actorText } from './actor-text';
import { addReadCommands, companyCommand, requestOf } from './company-resource';

/** What the API of companies returns, and what the operator API returns. */
type Holder = Omit<HolderView, 'createdAt'>;
type OwnedHolder = Omit<OwnedHolderView, 'createdAt'>;

interface CreateOptions extends CompanyOptions {
  readonly idempotencyKey?: string;
}

interface ErasureCertificate {
  readonly holderId: string;
  readonly erasedAt: string;
  readonly erasedBy: Actor | null;
  readonly sealedTexts: number;
  readonly readableTexts: number;
  readonly event: { readonly id: string; readonly stream: string; readonly revision: number } & Position;
  readonly hashChain: { readonly events: number; readonly isValid: boolean };
}

interface Position {
  readonly position: string;
  readonly hash: string;
}

const columns: Columns<Holder> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  'E-MAIL': ({ email }) => email,
  KIND: ({ kind }) => kind,
  STATUS: ({ status }) => status,
  'EXTERNAL ID': ({ externalId }) => externalId,
};

const ownedColumns: Columns<OwnedHolder> = {
  ...columns,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
};

const remainingCopies =
  'The key to the name and e-mail address is destroyed. Older backups of the schema vault still contain it, ' +
  'and the issuer may keep its own copy. docs/OPERATIONS.md lists the remaining steps.';

const status = new Option('--status <status>', 'the new status').choices(holderStatuses).makeOptionMandatory();

export function addHolderCommands(program: Command, context: CliContext): void {
  const holders = program.command('holders').description('Manage cardholders.');
  addReadCommands(holders, context, {
    noun: 'holder',
    path: '/holders',
    columns,
    filters: [
      filterOption('--kind <kind>', 'only holders of this kind', holderKinds),
      filterOption('--status <status>', 'only holders with this status', holderStatuses),
      filterOption('--external-id <id>', 'only the holder with your own id'),
      metadataOption('only holders with these values in their metadata'),
    ],
  });
  addCreateCommand(holders, context);
  holders
    .command('set-status <holder-id>')
    .description('Set the status of a cardholder. Live holders start as pending; only active ones can get cards.')
    .addOption(status)
    .action(async (id: string, body: object) => {
      const holder = await context.operatorApi().post<OwnedHolder>(apiPath`/holders/${id}/status`, body);
      context.output(holder, table([holder], ownedColumns));
    });
  holders
    .command('erase <holder-id>')
    .description('Erase the name and e-mail address of a cardholder. THIS CANNOT BE UNDONE.')
    .option('--yes', 'confirm the erasure; without it nothing happens')
    .action(async (id: string, { yes = false }: { readonly yes?: boolean }) => {
      if (!yes) throw confirmationRequired(id);
      const api = context.operatorApi();
      const holder = await api.post<OwnedHolder>(apiPath`/holders/${id}/erase`);
      const certificate = await api.get<ErasureCertificate>(apiPath`/holders/${id}/erasure`);
      const text = `${table([holder], ownedColumns)}\n\n${certificateText(certificate)}\n\n${remainingCopies}`;
      context.output({ ...holder, certificate }, text);
    });
  holders
    .command('certify <holder-id>')
    .description(
      'Certify the erasure of a cardholder: what was destroyed, when and by whom, and that the log is intact.',
    )
    .action(async (id: string) => {
      const certificate = await context.operatorApi().get<ErasureCertificate>(apiPath`/holders/${id}/erasure`);
      context.output(certificate, certificateText(certificate));
      if (!isProven(certificate)) context.exitCode = 1;
    });
}

function addCreateCommand(holders: Command, context: CliContext): void {
  companyCommand(holders, 'create')
    .description('Register a cardholder. In live, an operator must approve the holder first.')
    .requiredOption('--name <name>', 'given and family name, or the name of the company')
    .requiredOption('--email <address>', 'e-mail address')
    .addOption(new Option('--kind <kind>', 'a person or a company').choices(holderKinds).makeOptionMandatory())
    .requiredOption('--external-id <id>', 'your own id for the holder; no other holder may have it')
    .addOption(metadataOption('your own values'))
    .addOption(idempotencyKeyOption())
    .action(async (options: CreateOptions) => {
      const { idempotencyKey, ...body } = requestOf(options);
      const api = connectCompany(context, options);
      const holder = await api.post<Holder>('/holders', body, idempotencyKeyOf(context, idempotencyKey));
      context.output(holder, table([holder], columns));
    });
}

function confirmationRequired(id: string): UsageError {
  return new UsageError(
    `Erasing holder ${id} cannot be undone: the name and e-mail address become unreadable, ` +
      'and no card can be issued to the holder. Confirm with --yes.',
  );
}

function isProven({ readableTexts, hashChain }: ErasureCertificate): boolean {
  return readableTexts === 0 && hashChain.isValid;
}

function certificateText(certificate: ErasureCertificate): string {
  const { holderId, erasedAt, erasedBy, sealedTexts, readableTexts, event, hashChain } = certificate;
  return [
    isProven(certificate)
      ? `Certificate of erasure for holder ${holderId}`
      : `HOLDER ${holderId} IS NOT ERASED PROPERLY`,
    `  erased at    ${erasedAt} by ${actorText(erasedBy ?? undefined) ?? 'an unknown operator'}`,
    `  destroyed    the key to ${sealedTexts} encrypted texts in the log; ${readableTexts} of them can be decrypted now`,
    `  recorded as  event ${event.id} at position ${event.position} (${event.stream}@${event.revision})`,
    `  hash         ${event.hash}`,
    `  hash chain   ${hashChain.isValid ? 'valid' : 'BROKEN'}, ${hashChain.events} events`,
  ].join('\n');
}
