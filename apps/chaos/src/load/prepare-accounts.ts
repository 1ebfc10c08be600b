import { setTimeout as delay } from 'node:timers/promises';
import type { LiveChain, LiveInvoice } from '../world/live-chain';
import { type Answer, type Api, describeAnswer, isKnown, isSuccess } from './api';
import { LoadAccount } from './load-account';

const scopes = [
  ...['balance:read', 'cards:read', 'cards:write', 'funding:read', 'funding:write', 'holders:read', 'holders:write'],
  ...['operations:read', 'services:write', 'webhooks:read', 'webhooks:write'],
];
const holdersEach = 2;
const startingDollars = 50_000_000;
const timeoutMs = 60_000;

export interface Preparation {
  readonly api: Api;
  readonly chain: LiveChain;
  readonly operatorToken: string;
  readonly companies: number;
}

/** Companies with money and holders in both environments, made before anything is broken. */
export async function prepareAccounts(preparation: Preparation): Promise<LoadAccount[]> {
  const numbers = Array.from({ length: preparation.companies }, (_, index) => index + 1);
  return (await Promise.all(numbers.map((number) => prepareCompany(preparation, number)))).flat();
}

async function prepareCompany(preparation: Preparation, number: number): Promise<LoadAccount[]> {
  const operate = async (path: string, body: object): Promise<Answer['body']> =>
    insist(preparation, { path: `/operator/v1${path}`, body, token: preparation.operatorToken });
  const name = `Chaos ${number}`;
  const { id } = await operate('/companies', { name, kind: 'corporate' });
  const companyId = String(id);
  await operate(`/companies/${companyId}/verification`, { status: 'approved' });
  for (const capability of ['services', 'direct_invoices']) {
    await operate(`/companies/${companyId}/activations`, { capability, active: true });
  }
  const accounts: LoadAccount[] = [];
  for (const environment of ['sandbox', 'live'] as const) {
    const { key } = await operate(`/companies/${companyId}/keys`, { name: 'chaos', environment, scopes });
    const holderIds = await makeHolders(preparation, String(key), operate);
    const account = new LoadAccount(`${name} ${environment}`, companyId, environment, String(key), holderIds);
    await fundAccount(preparation, account);
    accounts.push(account);
  }
  return accounts;
}

async function makeHolders(
  preparation: Preparation,
  token: string,
  operate: (path: string, body: object) => Promise<Answer['body']>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= holdersEach; number++) {
    const person = { name: 'Ida Example', email: 'ida@example.com', kind: 'individual', externalId: `first-${number}` };
    const { id } = await insist(preparation, { path: '/api/v1/holders', body: person, token });
    await operate(`/holders/${String(id)}/status`, { status: 'active' });
    ids.push(String(id));
  }
  return ids;
}

/** Live money comes only from the chain. */
async function fundAccount(preparation: Preparation, { environment, key: token }: LoadAccount): Promise<void> {
  const body = { amount: String(startingDollars) };
  const idempotencyKey = 'the-first-money';
  if (environment === 'sandbox') {
    await insist(preparation, { path: '/api/v1/sandbox/funding', body, token, idempotencyKey });
    return;
  }
  const path = '/api/v1/card-account/invoices';
  const invoice = await insist(preparation, { path, body, token, idempotencyKey });
  preparation.chain.pay(invoice as unknown as LiveInvoice);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const shown = await preparation.api.send({ method: 'GET', path: `${path}/${String(invoice['id'])}`, token });
    if (shown.body['status'] === 'completed') return;
    if (Date.now() > deadline) throw new Error(`The first invoice was not credited: ${describeAnswer(shown)}`);
    await delay(100);
  }
}

interface Insistence {
  readonly path: string;
  readonly body: object;
  readonly token: string;
  readonly idempotencyKey?: string;
}

async function insist({ api }: Preparation, request: Insistence): Promise<Answer['body']> {
  for (let attempt = 1; ; attempt++) {
    const answer = await api.send({ method: 'POST', ...request });
    if (isSuccess(answer)) return answer.body;
    if (isKnown(answer) || attempt === 10) {
      throw new Error(`The load cannot be prepared: POST ${request.path} was answered ${describeAnswer(answer)}`);
    }
    await delay(300);
  }
}
