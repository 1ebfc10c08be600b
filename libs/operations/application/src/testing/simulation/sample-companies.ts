import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import { assert, deterministicId, type MoneyText, randomId } from '@florin/kernel';
import {
  type BulkRequestRefusal,
  type OperationType,
  type PricedType,
  type Product,
  quoteOf,
  quoteOfUnload,
  type Order,
  type RequestOperation,
  type RequestOperations,
  type RequestRefusal,
} from '@florin/operations-domain';
import { OperationsSimulation } from './operations-simulation';

export type RequestReply = CommandReply<Order, RequestRefusal>;
export type BulkReply = CommandReply<readonly CommandReply<Order, BulkRequestRefusal>[]>;

export interface SampleCompany {
  readonly companyId: string;
  readonly companyKind: 'individual' | 'corporate';
  readonly environment: 'sandbox';
  readonly accountId: string;
  readonly holderId: string;
  /** An existing card with `seedBalance`. */
  readonly cardId: string;
}

export const seedBalance: MoneyText = '50.00';

export const ida = companyOf('ida', 'individual');
export const acme = companyOf('acme', 'corporate');
export const companies = [ida, acme] as const;

export const products: Readonly<Record<PricedType, Product>> = { ...cards('card'), service: service('phone') };

/** A log with products, and companies with funds, a holder and a card each. */
export async function historyOf(deposit: MoneyText): Promise<readonly RecordedEvent[]> {
  const simulation = await OperationsSimulation.open();
  for (const product of [products.issue, products.service]) {
    const data = { ...product, requestId: 'first' };
    await simulation.request('operations', data.productId, { type: 'DefineProduct', data });
  }
  for (const company of companies) await prepare(simulation, company, deposit);
  const history = await simulation.recorded();
  simulation.close();
  return history;
}

export interface RequestParts {
  readonly type: OperationType;
  readonly amount: MoneyText;
  readonly cardId?: string;
  readonly expectedTotal?: MoneyText;
}

/** The same company and key give the same operation id; different parts give a different fingerprint. */
export function requestOf(company: SampleCompany, key: string, parts: RequestParts): RequestOperation {
  const { companyId, companyKind, environment, accountId, holderId } = company;
  const { type, amount } = parts;
  const product = type === 'unload' ? undefined : products[type];
  const quote = type === 'unload' ? quoteOfUnload(amount) : quoteOf(products[type], type, amount);
  assert(quote !== undefined, () => `product ${product?.productId} offers ${type}`);
  const common = { companyId, companyKind, environment, accountId, type, productId: product?.productId, amount };
  const expectedTotal = parts.expectedTotal ?? quote.total;
  const subject = {
    issue: { holderId, name: 'Team card' },
    topup: { cardId: parts.cardId ?? company.cardId },
    service: { recipient: '+15550100' },
    unload: { cardId: parts.cardId ?? company.cardId },
  }[type];
  const fingerprint = JSON.stringify([type, amount, subject, expectedTotal]);
  const data = { ...common, ...subject, operationId: operationIdOf(company, key), fingerprint, expectedTotal };
  return { type: 'RequestOperation', data };
}

/** The same requests as one command. All are of one company. */
export function bulkOf(commands: readonly RequestOperation[]): RequestOperations {
  const { companyId, companyKind, environment, accountId } = commands[0]!.data;
  const requests = commands.map(({ data }) => {
    const { companyId: _c, companyKind: _k, environment: _e, accountId: _a, ...request } = data;
    return request;
  });
  return { type: 'RequestOperations', data: { companyId, companyKind, environment, accountId, requests } };
}

export function operationIdOf({ accountId }: SampleCompany, key: string): string {
  return deterministicId('operation', accountId, key);
}

function companyOf(companyId: string, companyKind: SampleCompany['companyKind']): SampleCompany {
  const accountId = `${companyId}-sandbox`;
  const holderId = deterministicId('holder', companyId);
  const cardId = deterministicId('seed card', companyId);
  return { companyId, companyKind, environment: 'sandbox', accountId, holderId, cardId };
}

function cards(productId: string): { issue: Product; topup: Product } {
  const fee = { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } };
  const common = { productId, currency: 'USD', minimumAmount: '10.00', available: true } as const;
  const product: Product = { ...common, kind: 'card', name: 'Card', fee };
  return { issue: product, topup: product };
}

function service(productId: string): Product {
  const fee = { service: { fixed: '0.00', percent: '0' } };
  const common = { productId, currency: 'USD', minimumAmount: '1.00', available: true } as const;
  return { ...common, kind: 'service', name: 'Phone credit', fee };
}

async function prepare(simulation: OperationsSimulation, company: SampleCompany, amount: MoneyText): Promise<void> {
  const { companyId, environment, accountId, holderId, cardId } = company;
  const createdAt = simulation.time.now().toISOString();
  const owner = { companyId, environment, accountId };
  const sealed = await simulation.vault.seal(holderId, { name: 'Ida', email: 'ida@example.com' });
  const registration = {
    kind: 'individual',
    externalId: 'ida',
    status: 'active',
    sealed,
    requestId: randomId(),
  } as const;
  const card = { productId: products.issue.productId, name: 'First card', last4: '0000', cardReference: 'seed' };
  const deposit = { depositId: randomId(), reference: 'seed', amount, fee: '0.00', description: 'Seed' };
  const commands = [
    ['ledger', 'DepositFunds', { accountId, ...deposit, fingerprint: 'seed' }],
    ['operations', 'RegisterHolder', { ...owner, holderId, ...registration, fingerprint: 'seed', createdAt }],
    [
      'operations',
      'IssueCard',
      { ...owner, cardId, operationId: 'seed', holderId, ...card, amount: seedBalance, createdAt },
    ],
  ] as const;
  for (const [context, type, data] of commands) {
    const reply = await simulation.request(context, accountId, { type, data });
    assert(reply.ok, () => `${type} is refused: ${JSON.stringify(reply)}`);
  }
}
