/**
 * Records the event log of a release: starts its all-in-one program on an empty data folder, uses its API, and writes all events
 * as JSON lines. Run once per release: npm run record:log -- tools/recorded-logs/<release>.jsonl
 * With the program of another checkout as second argument, it records that release; endpoints that it does not have are skipped.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgresEvents from '@florin/event-store-postgres';
import pg from 'pg';

const root = resolve(import.meta.dirname, '../..');
const [file, program = join(root, 'apps/all-in-one/dist/main.js')] = process.argv.slice(2);
if (file === undefined) throw new Error('Pass the file to write, such as tools/recorded-logs/1.0.0.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'florin-recorded-log-'));
const product = spawn(process.execPath, [resolve(program)], {
  env: { PATH: process.env.PATH, FLORIN_DATA_DIR: folder, PORT: '0', WEBHOOK_ALLOW_LOOPBACK: 'true' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const baseUrl = await readyAt(product);
  const credentials = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  await use(baseUrl, credentials);
  const events = await readEvents();
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const types = new Set(events.map(({ type }) => type));
  console.log(`${file}: ${events.length} events of ${types.size} types: ${[...types].sort().join(', ')}`);
} finally {
  product.kill();
  await once(product, 'exit');
  rmSync(folder, { recursive: true });
}

async function readyAt({ stdout }) {
  let text = '';
  for await (const chunk of stdout) {
    text += chunk;
    const [, baseUrl] = /"baseUrl":"([^"]+)".*Florin is ready/.exec(text) ?? [];
    if (baseUrl === undefined) continue;
    stdout.resume();
    return baseUrl;
  }
  throw new Error(`Florin did not start:\n${text}`);
}

async function use(baseUrl, credentials) {
  const [company] = credentials.companies;
  const client = api(`${baseUrl}/api/v1`, company.keys.sandbox);
  const operator = api(`${baseUrl}/operator/v1`, credentials.operatorToken ?? credentials.operator?.token);
  await client.post('/sandbox/funding', { amount: '5000.00' });
  await client.post('/sandbox/funding', { amount: '1.00' });

  const person = (name) => ({ name, email: 'person@example.com', kind: 'individual', externalId: randomUUID() });
  const ada = await client.post('/holders', person('Ada Example'));
  const ida = await client.post('/holders', person('Ida Example'));
  await client.send('PATCH', `/holders/${ada.id}`, { name: 'Ada Other', metadata: { team: 'sales' } });

  const issue = { type: 'issue', productId: 'virtual-usd', holderId: ada.id, name: 'Travel' };
  const order = async (body) => {
    const { total } = await client.post('/quotes', body);
    return client.post('/operations', { ...body, ...(total && { expectedTotal: total }) });
  };
  const unknown = await order({ ...issue, amount: '20.92' });
  const declined = await order({ ...issue, amount: '20.91' });
  const [first, second] = [await order({ ...issue, amount: '100.00' }), await order({ ...issue, amount: '50.00' })];
  const cardId = await cardOf(client, first);
  const emptyCard = await cardOf(client, second);
  await client.ended(declined);
  const topup = { type: 'topup', productId: 'virtual-usd', cardId };
  await client.ended(await order({ ...topup, amount: '30.00' }));
  await client.ended(await order({ ...topup, amount: '10.91' }));
  await client.ended(await order({ type: 'unload', cardId, amount: '5.00' }));
  await client.ended(await order({ type: 'unload', cardId: emptyCard, amount: '50.00' }));
  const { data: products = [] } = await client.get('/products');
  const service = products.find(({ kind }) => kind === 'service');
  if (service)
    await client.ended(await order({ type: 'service', productId: service.id, amount: '25.00', recipient: 'Ida' }));

  const payment = { cardId, amount: '12.50', merchant: 'Coffee House', country: 'NL' };
  await client.post('/sandbox/transactions', payment);
  await client.post('/sandbox/transactions', { ...payment, amount: '2.00', type: 'refund' });
  await client.post('/sandbox/transactions', { ...payment, amount: '9000.00' });
  const authorized = (amount) => client.post('/sandbox/transactions', { ...payment, amount, capture: false });
  const cleared = await authorized('4.00');
  await client.post(`/sandbox/transactions/${cleared.id}/clear`, { amount: '3.50' });
  await client.post(`/sandbox/transactions/${cleared.id}/refund`, { amount: '1.00' });
  await client.post(`/sandbox/transactions/${(await authorized('2.00')).id}/reverse`);
  await client.post(`/sandbox/transactions/${(await authorized('1.00')).id}/expire`);
  await client.send('PATCH', `/cards/${cardId}`, { name: 'Team', limits: { daily: '500.00' }, metadata: { a: 'b' } });
  for (const verb of ['freeze', 'unfreeze']) await client.post(`/cards/${cardId}/${verb}`);
  await client.post(`/cards/${emptyCard}/close`);

  await useWebhooks(client);
  await useInvoices(client);
  await administer(operator, company, ida);
  await client.ended(unknown);
  await operator.post(`/reviews/${unknown.id}/resolve`, { outcome: 'failed', note: 'Recorded' });
  await client.ended(unknown, ['failed']);
}

async function useWebhooks(client) {
  const endpoint = await client.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/hook', description: 'Recorded' });
  await client.post(`/webhook-endpoints/${endpoint.id}/rotate-secret`);
  await client.post(`/webhook-endpoints/${endpoint.id}/test`);
  await client.post('/sandbox/events', { type: 'operation.completed' });
  for (const status of ['disabled', 'enabled'])
    await client.send('PATCH', `/webhook-endpoints/${endpoint.id}`, { status });
  await client.post(`/webhook-endpoints/${endpoint.id}/recover`, { since: '2020-01-01T00:00:00.000Z' });
  await client.send('DELETE', `/webhook-endpoints/${endpoint.id}`);
}

async function useInvoices(client) {
  const invoice = await client.post('/card-account/invoices', { amount: '100' });
  await client.post(`/sandbox/invoices/${invoice.id}/complete`);
  const canceled = await client.post('/card-account/invoices', { amount: '200' });
  await client.post(`/card-account/invoices/${canceled.id}/cancel`);
}

async function administer(operator, company, ida) {
  const added = await operator.post('/companies', { name: 'Recorded Company', kind: 'corporate' });
  await operator.post(`/companies/${added.id}/verification`, { status: 'approved' });
  await operator.post(`/companies/${added.id}/activations`, { capability: 'services', active: true });
  const key = await operator.post(`/companies/${added.id}/keys`, {
    environment: 'sandbox',
    scopes: ['balance:read'],
    name: 'K',
  });
  await operator.post(`/keys/${key.id}/rotate`, { overlapHours: 1 });
  await operator.post(`/keys/${key.id}/revoke`);
  await operator.post(`/companies/${company.id}/adjustments`, {
    environment: 'sandbox',
    amount: '3.00',
    direction: 'credit',
    reason: 'Recorded',
  });
  await operator.post(`/holders/${ida.id}/status`, { status: 'blocked' });
  await operator.post(`/holders/${ida.id}/erase`);
  await operator.post('/operators', { name: 'Olga Operator', email: 'olga@example.com', role: 'viewer' });
}

async function cardOf(client, operation) {
  return (await client.ended(operation)).result.cardId;
}

function api(baseUrl, token) {
  const send = async (method, path, body, key = randomUUID()) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, ...type };
    const response = await fetch(`${baseUrl}${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (response.status === 503) return delay(500).then(() => send(method, path, body, key));
    const text = await response.text();
    if (!response.ok) console.log(`Skipped: ${method} ${path} is ${response.status}: ${text.slice(0, 200)}`);
    return response.ok && text !== '' ? JSON.parse(text) : {};
  };
  const get = (path) => send('GET', path);
  return {
    send,
    get,
    post: (path, body) => send('POST', path, body),
    /** Waits for the outcome of an operation, if it was accepted. */
    ended: async ({ id }, statuses = ['completed', 'failed', 'manual_review']) => {
      if (id === undefined) return {};
      for (;;) {
        const operation = await get(`/operations/${id}`);
        if (statuses.includes(operation.status)) return operation;
        await delay(200);
      }
    },
  };
}

/** Releases before the database roles need no password. */
async function readEvents() {
  const passwords = join(folder, 'database.pgpass');
  const lines = existsSync(passwords) ? readFileSync(passwords, 'utf8').split('\n') : [];
  const password = lines.map((line) => line.split(':')).find(([, , , user]) => user === 'florin')?.[4];
  const client = new pg.Client({ host: join(folder, 'postgres/socket'), user: 'florin', database: 'florin', password });
  await client.connect();
  const { rows } = await client.query('SELECT * FROM event_store.events ORDER BY position');
  await client.end();
  const unpacker = new postgresEvents.EventUnpacker();
  // Releases before the packed events have no such column.
  return rows.map(({ position, packed, data, metadata, ...event }) => {
    const texts = packed ? unpacker.unpack(event.stream, packed.toString('hex')) : { data, metadata };
    return { position: Number(position), ...event, data: texts.data, metadata: texts.metadata };
  });
}
