import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Account, expectBody } from '../../apps/e2e/src/harness/account';
import { sharedFlorin } from '../../apps/e2e/src/harness/florin';
import type { RunningFlorin } from '../../apps/e2e/src/harness/running-florin';

const folder = resolve(__dirname, '../../node_modules/.cache/python/schemathesis');
const command = join(folder, 'bin/schemathesis');
/** `provide-schemathesis.mjs` has said that Python is missing, and has failed in CI. */
const describeIfInstalled = existsSync(command) ? describe : describe.skip;

/** Runs all checks on all operations of a document, and returns the exit code and the report. */
async function schemathesis(document: string, token: string, ids: object): Promise<{ code: number; report: string }> {
  const args = ['--config-file', join(__dirname, 'schemathesis.toml'), 'run', document];
  const variables = { FLORIN_TOKEN: token, FLORIN_IDS: JSON.stringify(ids) };
  const python = { PYTHONPATH: __dirname, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, args, { env: { ...process.env, ...python, ...variables }, cwd: folder });
  let report = '';
  child.stdout.on('data', (text) => (report += String(text)));
  child.stderr.on('data', (text) => (report += String(text)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, report };
}

/** One object of each kind, by the names of paths and fields. */
async function newObjects(account: Account): Promise<Record<string, string>> {
  const created = async (path: string, body: object) =>
    expectBody<{ id: string }>(await account.post(path, body), 201).id;
  const holderId = await account.newHolder();
  const cardId = await account.newCard(holderId);
  const payment = { cardId, amount: '12.50', merchant: 'Coffee House', capture: false };
  return {
    ...{ holderId, holders: holderId, cardId, cards: cardId },
    transactions: await created('/api/v1/sandbox/transactions', payment),
    invoices: (await account.newInvoice()).id,
    'webhook-endpoints': await created('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/webhooks' }),
  };
}

/** A minute on an idle machine. */
jest.setTimeout(1_200_000);

describeIfInstalled('The API does what its document says', () => {
  let florin: RunningFlorin;
  let objects: Record<string, string>;

  beforeAll(async () => {
    florin = await sharedFlorin();
  });

  it('for companies', async () => {
    const [company] = florin.credentials.companies;
    const key = company!.keys.sandbox;
    const account = new Account(florin.baseUrl, key);
    expectBody(await account.fund('100000'), 201);
    objects = { ...(await newObjects(account)), companies: company!.id };
    const { code, report } = await schemathesis(`${florin.baseUrl}/api/v1/openapi.json`, key, objects);
    expect([code, report]).toEqual([0, expect.stringContaining('No issues found')]);
  });

  // After the other one, because it can revoke keys and erase the holder.
  it('for operators', async () => {
    const { operatorToken } = florin.credentials;
    const { code, report } = await schemathesis(`${florin.baseUrl}/operator/v1/openapi.json`, operatorToken, objects);
    expect([code, report]).toEqual([0, expect.stringContaining('No issues found')]);
  });
});
