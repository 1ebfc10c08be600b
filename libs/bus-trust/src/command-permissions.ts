import type { ApiKeyCommand, ApprovalCommand, CompanyCommand, OperatorCommand } from '@florin/companies-domain';
import type {
  AddressCommand,
  AdvanceInvoice,
  InvoiceCommand,
  PaySandboxInvoice,
  RequestInvoice,
  SettleBlocks,
} from '@florin/invoicing-domain';
import { type AccountCommand, accountIdOf, type CreateReservations, type FindReservation } from '@florin/ledger-domain';
import type {
  AdvanceOperation,
  CardCommand,
  HolderCommand,
  OperationCommand,
  ProductCommand,
  QuoteOperation,
  RecordTransaction,
  RequestOperation,
  RequestOperations,
  RevealCard,
} from '@florin/operations-domain';
import type { VerifyBlocks } from '@florin/tron-domain';
import type { EndpointCommand } from '@florin/webhooks-domain';

/** The commands of each context that are sent over the bus. */
interface BusCommands {
  readonly companies: CompanyCommand | ApiKeyCommand | ApprovalCommand | OperatorCommand;
  readonly ledger: AccountCommand | CreateReservations | FindReservation;
  readonly operations:
    | AdvanceOperation
    | CardCommand
    | HolderCommand
    | OperationCommand
    | ProductCommand
    | QuoteOperation
    | RecordTransaction
    | RequestOperation
    | RequestOperations
    | RevealCard;
  readonly invoicing:
    AddressCommand | AdvanceInvoice | InvoiceCommand | PaySandboxInvoice | RequestInvoice | SettleBlocks;
  readonly tron: VerifyBlocks;
  readonly webhooks: EndpointCommand;
}

export type Context = keyof BusCommands;

/** A command type, or one that is restricted to sandbox accounts. */
type Permission<C extends Context> = BusCommands[C]['type'] | { readonly sandboxOnly: BusCommands[C]['type'] };

type Permissions = { readonly [C in Context]?: readonly Permission<C>[] };

/** Which service may send which command to which context. Every other command is rejected. */
export const commandPermissions = {
  gateway: {
    companies: [
      'RegisterCompany',
      'SetVerification',
      'SetActivation',
      'IssueApiKey',
      'RotateApiKey',
      'RevokeApiKey',
      'CreateOperator',
      'ChangeOperatorRole',
      'RotateOperatorToken',
      'DisableOperator',
      'ApproveDecision',
      'WithdrawProposal',
    ],
    // Deposits on live accounts are credited by invoicing only. Adjustments are decisions of operators.
    ledger: [{ sandboxOnly: 'DepositFunds' }, 'AdjustAccount'],
    operations: [
      'RequestOperation',
      'RequestOperations',
      'QuoteOperation',
      'ResolveReview',
      'NoteLateResponse',
      'FreezeCard',
      'UnfreezeCard',
      'CloseCard',
      'RevealCard',
      'ReportCardStatus',
      'ChangeCard',
      'RecordTransaction',
      'RegisterHolder',
      'ChangeHolder',
      'SetHolderStatus',
      'EraseHolder',
      'DefineProduct',
    ],
    invoicing: [
      'RequestInvoice',
      'CancelInvoice',
      { sandboxOnly: 'PaySandboxInvoice' },
      'ResolveInvoice',
      'ResolveDeposit',
    ],
    tron: ['VerifyBlocks'],
    webhooks: [
      'RegisterEndpoint',
      'UpdateEndpoint',
      'RotateEndpointSecret',
      'DeleteEndpoint',
      'TestEndpoint',
      'RecoverEndpoint',
      'ResendEvent',
      'TriggerSample',
    ],
  },
  operations: {
    ledger: [
      'CreateReservation',
      'CreateReservations',
      'FindReservation',
      'CaptureReservation',
      'ReleaseReservation',
      'CreditRefund',
    ],
    operations: ['QueueOperation', 'AdvanceOperation', 'ReportPayment'],
  },
  invoicing: {
    ledger: ['DepositFunds'],
    invoicing: [
      'AdvanceInvoice',
      'IssueInvoice',
      'RecordPayment',
      'AttributeDeposit',
      'ExpireInvoice',
      'ShortenClaim',
      'ReturnDeposit',
      'CloseClaims',
      'SettleBlocks',
    ],
  },
  'webhook-dispatcher': {
    webhooks: ['DisableEndpoint'],
  },
} as const satisfies Readonly<Record<string, Permissions>>;

export type SendingService = keyof typeof commandPermissions;

/** The service that handles the commands of each context. */
export const receivingServices: { readonly [C in Context]: string } = {
  companies: 'ledger',
  ledger: 'ledger',
  operations: 'operations',
  invoicing: 'invoicing',
  tron: 'tron-watcher',
  webhooks: 'webhook-dispatcher',
};

/** The all-in-one process has every role, and may send what any service may send. */
export const allInOne = 'florin';

export interface SentCommand {
  readonly sender: string;
  readonly context: string;
  readonly type: string;
  readonly data: unknown;
}

export function isPermitted({ sender, context, type, data }: SentCommand): boolean {
  if (sender === allInOne) {
    return Object.keys(commandPermissions).some((service) => isPermitted({ sender: service, context, type, data }));
  }
  const permissions: Permissions | undefined = (commandPermissions as Record<string, Permissions>)[sender];
  if (!hasConsistentAccount(data)) return false;
  const ofContext: readonly (string | { readonly sandboxOnly: string })[] = permissions?.[context as Context] ?? [];
  return ofContext.some((permission) => {
    if (typeof permission === 'string') return permission === type;
    return permission.sandboxOnly === type && isForSandbox(data);
  });
}

function isForSandbox(data: unknown): boolean {
  const { accountId } = (data ?? {}) as { accountId?: unknown };
  return typeof accountId === 'string' && accountId.endsWith('-sandbox');
}

/**
 * Whether the accounts in the data, in the objects that it lists, and in objects such as their order are those of their company
 * and environment. Otherwise a live card could be paid from a sandbox account.
 */
function hasConsistentAccount(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return true;
  if (!isOwnAccount(data)) return false;
  for (const [name, value] of Object.entries(data)) {
    // The key-value pairs of a client can have any names.
    if (name === 'metadata') continue;
    const isConsistent = Array.isArray(value) ? value.every(hasConsistentAccount) : isOwnAccount(value);
    if (!isConsistent) return false;
  }
  return true;
}

function isOwnAccount(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return true;
  const { companyId, environment, accountId } = fields as Readonly<Record<string, unknown>>;
  if (accountId === undefined || environment === undefined) return true;
  if (companyId === undefined) return String(accountId).endsWith(`-${String(environment)}`);
  return accountId === accountIdOf(String(companyId), String(environment));
}
