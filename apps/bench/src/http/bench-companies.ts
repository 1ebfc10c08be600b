import type { ProductProcess } from './server-process';

export interface BenchCompany {
  readonly key: string;
  readonly holderId: string;
}

const scopes = [
  ...['balance:read', 'cards:read', 'cards:write', 'holders:read', 'holders:write', 'operations:read'],
  ...['services:write', 'webhooks:read', 'webhooks:write'],
];

/** Creates companies with a sandbox key, a holder and more money than a run can spend. */
export async function createCompanies(product: ProductProcess, count: number): Promise<BenchCompany[]> {
  const companies: BenchCompany[] = [];
  for (let index = 0; index < count; index++) companies.push(await createCompany(product, index));
  return companies;
}

async function createCompany({ baseUrl, operatorToken }: ProductProcess, index: number): Promise<BenchCompany> {
  const asOperator = poster(`${baseUrl}/operator/v1`, operatorToken);
  const { id } = await asOperator('/companies', { name: `Bench ${index}`, kind: 'corporate' });
  await asOperator(`/companies/${id}/verification`, { status: 'approved' });
  const { key } = await asOperator(`/companies/${id}/keys`, { name: 'bench', environment: 'sandbox', scopes });
  const asCompany = poster(`${baseUrl}/api/v1`, key!);
  await asCompany('/sandbox/funding', { amount: '999999999999.00' });
  const person = { name: 'Bench Holder', email: 'holder@example.com', kind: 'individual', externalId: `${index}` };
  const holder = await asCompany('/holders', person);
  return { key: key!, holderId: holder['id']! };
}

function poster(base: string, token: string) {
  return async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `set-up${path}`,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
}
