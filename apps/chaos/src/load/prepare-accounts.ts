import { setTimeout as delay } from 'node:timers/promises';
import type { LiveChain, LiveInvoice } from '../environment/live-chain';
import { type ApiResponse, type Api, describeResponse, isConclusive, isSuccess } from './api';
import { LoadAccount } from './load-account';

const scopes = [
  ...['balance:read', 'cards:read', 'cards:write', 'funding:read', 'funding:write', 'holders:read', 'holders:write'],
  ...['operations:read', 'services:write', 'webhooks:read', 'webhooks:write'],
];
const holdersPerAccount = 2;
const startingDollars = 50_000_000;
const timeoutMs = 60_000;

export interface Preparation {
  readonly api: Api;
  readonly chain: LiveChain;
  readonly operatorToken: string;
  readonly companies: number;
}

/** Creates companies with funds and holders in both environments, before the first fault. */
export async function prepareAccounts(preparation: Preparation): Promise<LoadAccount[]> {
  const numbers = Array.from({ length: preparation.companies }, (_, index) => index + 1);
  return (await Promise.all(numbers.map((number) => prepareCompany(preparation, number)))).flat();
}

async function prepareCompany(preparation: Preparation, number: number): Promise<LoadAccount[]> {
  const operate = async (path: string, body: object): Promise<ApiResponse['body']> =>
    sendUntilConclusive(preparation, { path: `/operator/v1${path}`, body, token: preparation.operatorToken });
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
    const holderIds = await createHolders(preparation, String(key), operate);
    const account = new LoadAccount(`${name} ${environment}`, companyId, environment, String(key), holderIds);
    await fundAccount(preparation, account);
    accounts.push(account);
  }
  return accounts;
}

async function createHolders(
  preparation: Preparation,
  token: string,
  operate: (path: string, body: object) => Promise<ApiResponse['body']>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= holdersPerAccount; number++) {
    const person = { name: 'Ida Example', email: 'ida@example.com', kind: 'individual', externalId: `first-${number}` };
    const request = { path: '/api/v1/holders', body: person, token, idempotencyKey: `holder-${number}` };
    const { id } = await sendUntilConclusive(preparation, request);
    await operate(`/holders/${String(id)}/status`, { status: 'active' });
    ids.push(String(id));
  }
  return ids;
}

/** Live funds come from the chain only. */
async function fundAccount(preparation: Preparation, { environment, key: token }: LoadAccount): Promise<void> {
  const body = { amount: String(startingDollars) };
  const idempotencyKey = 'initial-funds';
  if (environment === 'sandbox') {
    await sendUntilConclusive(preparation, { path: '/api/v1/sandbox/funding', body, token, idempotencyKey });
    return;
  }
  const path = '/api/v1/card-account/invoices';
  const invoice = await sendUntilConclusive(preparation, { path, body, token, idempotencyKey });
  preparation.chain.pay(invoice as unknown as LiveInvoice);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const current = await preparation.api.send({ method: 'GET', path: `${path}/${String(invoice['id'])}`, token });
    if (current.body['status'] === 'completed') return;
    if (Date.now() > deadline) throw new Error(`The first invoice was not credited: ${describeResponse(current)}`);
    await delay(100);
  }
}

interface RetriedRequest {
  readonly path: string;
  readonly body: object;
  readonly token: string;
  readonly idempotencyKey?: string;
}

async function sendUntilConclusive({ api }: Preparation, request: RetriedRequest): Promise<ApiResponse['body']> {
  for (let attempt = 1; ; attempt++) {
    const response = await api.send({ method: 'POST', ...request });
    if (isSuccess(response)) return response.body;
    if (isConclusive(response) || attempt === 10) {
      throw new Error(`The load cannot be prepared: POST ${request.path} returned ${describeResponse(response)}`);
    }
    await delay(300);
  }
}
