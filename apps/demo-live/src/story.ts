import { formatUsdt, parseUsdt } from '@florin/kernel';
import type { TronSimulator } from '@florin/tron-simulator';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api';

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

export interface Cast {
  readonly company: Api;
  readonly operator: Api;
  readonly chain: TronSimulator;
  readonly tell: (line: string) => void;
}

const patienceMs = 60_000;

/** A live invoice from its creation to the credit, with a payment that is nearly right on the way. */
export async function tellStory({ company, operator, chain, tell }: Cast): Promise<void> {
  tell('\n1. The company asks for an invoice over 100 USD.');
  const invoice = await company.post<Invoice>('/api/v1/card-account/invoices', { amount: '100' });
  tell(`   Pay exactly ${invoice.payAmount} USDT to ${invoice.address} before ${invoice.expiresAt}.`);

  tell('\n2. Somebody pays one millionth too little. Whose payment is that? Nobody can know, so nothing is credited.');
  const amount = formatUsdt(parseUsdt(invoice.payAmount) - 1n);
  tell(`   ${amount} USDT are in block ${chain.pay({ to: invoice.address, amount }).number}.`);
  const deposits = () => operator.get<Deposits>('/operator/v1/deposits');
  const { data: unmatched } = await until(deposits, ({ data }) => data.length > 0);
  for (const deposit of unmatched)
    tell(`   The operator sees: ${deposit.amount} USDT ${deposit.status}, ${deposit.reason}.`);
  tell(`   The invoice is ${(await read(company, invoice)).status}, the balance ${await available(company)}.`);

  tell('\n3. Now exactly the amount is paid.');
  const { number } = chain.pay({ to: invoice.address, amount: invoice.payAmount });
  tell(`   ${invoice.payAmount} USDT are in block ${number}, which the chain could still replace.`);
  tell(`   The invoice is ${(await read(company, invoice)).status}: only what is final counts.`);

  tell('\n4. Blocks follow, and the payment becomes final.');
  const paid = await until(
    () => read(company, invoice),
    ({ status }) => status === 'completed',
    () => tell(`   Block ${chain.state().head.number} was mined, ${chain.state().solidHead.number} is final.`),
  );
  tell(`   The invoice is ${paid.status}: ${paid.depositAmount} less ${paid.fee} makes ${paid.creditAmount}.`);

  tell('\n5. The statement of the card account:');
  const day = new Date().toISOString().slice(0, 10);
  const { data } = await company.get<Statement>(`/api/v1/account-statements?from=${day}&to=${day}`);
  for (const entry of data) tell(`   ${entry.kind.padEnd(8)} ${entry.amount.padStart(8)}   balance ${entry.balance}`);
  tell(`   Available: ${await available(company)} USD.`);
}

function read(company: Api, { id }: Invoice): Promise<Invoice> {
  return company.get<Invoice>(`/api/v1/card-account/invoices/${id}`);
}

async function available(company: Api): Promise<string> {
  return (await company.get<Balance>('/api/v1/balance')).available;
}

async function until<Value>(
  look: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  meanwhile: () => void = () => undefined,
): Promise<Value> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`Nothing came of it within ${patienceMs / 1_000} s: ${JSON.stringify(value)}`);
    meanwhile();
    await delay(1_000);
  }
}
