import { formatUsdt, parseUsdt } from '@florin/kernel';
import type { TronSimulator } from '@florin/tron-simulator';
import type { Api } from './api';
import { until } from './until';

interface Invoice {
  readonly id: string;
  readonly status: string;
  readonly depositAmount: string;
  readonly creditAmount: string;
  readonly fee: string;
  readonly address: string;
  readonly payAmount: string;
  readonly expiresAt: string;
}

interface Balance {
  readonly available: string;
}

interface Statement {
  readonly data: readonly { readonly kind: string; readonly amount: string; readonly balance: string }[];
}

interface Deposits {
  readonly data: readonly { readonly amount: string; readonly status: string; readonly reason?: string }[];
}

export interface Scenario {
  readonly company: Api;
  readonly operator: Api;
  readonly chain: TronSimulator;
  readonly print: (line: string) => void;
}

/** A live invoice from its creation to the credit, with a payment of a wrong amount in between. */
export async function runInvoiceScenario({ company, operator, chain, print }: Scenario): Promise<void> {
  print('\n1. The company creates an invoice for 100 USD.');
  const invoice = await company.post<Invoice>('/api/v1/card-account/invoices', { amount: '100' });
  print(`   Pay exactly ${invoice.payAmount} USDT to ${invoice.address} before ${invoice.expiresAt}.`);

  print('\n2. A payment arrives that is one millionth too low. It matches no invoice, so nothing is credited.');
  const amount = formatUsdt(parseUsdt(invoice.payAmount) - 1n);
  print(`   Block ${chain.pay({ to: invoice.address, amount }).number} contains ${amount} USDT.`);
  const deposits = () => operator.get<Deposits>('/operator/v1/deposits');
  const { data: unmatched } = await until(deposits, ({ data }) => data.length > 0);
  for (const deposit of unmatched)
    print(`   The operator sees: ${deposit.amount} USDT ${deposit.status}, ${deposit.reason}.`);
  print(`   The invoice is ${(await read(company, invoice)).status}, the balance ${await available(company)}.`);

  print('\n3. The exact amount is paid.');
  const { number } = chain.pay({ to: invoice.address, amount: invoice.payAmount });
  print(`   Block ${number} contains ${invoice.payAmount} USDT, but is not final yet: the chain can still replace it.`);
  print(`   The invoice is ${(await read(company, invoice)).status}: only final payments count.`);

  print('\n4. More blocks are mined, and the payment becomes final.');
  const paid = await until(
    () => read(company, invoice),
    ({ status }) => status === 'completed',
    () => print(`   Mined block ${chain.state().head.number}; block ${chain.state().solidHead.number} is final.`),
  );
  print(
    `   The invoice is ${paid.status}: ${paid.depositAmount} less a fee of ${paid.fee} credits ${paid.creditAmount}.`,
  );

  print('\n5. The statement of the card account:');
  const day = new Date().toISOString().slice(0, 10);
  const { data } = await company.get<Statement>(`/api/v1/account-statements?from=${day}&to=${day}`);
  for (const entry of data) print(`   ${entry.kind.padEnd(8)} ${entry.amount.padStart(8)}   balance ${entry.balance}`);
  print(`   Available: ${await available(company)} USD.`);
}

function read(company: Api, { id }: Invoice): Promise<Invoice> {
  return company.get<Invoice>(`/api/v1/card-account/invoices/${id}`);
}

async function available(company: Api): Promise<string> {
  return (await company.get<Balance>('/api/v1/balance')).available;
}
