import { ApiError, Florin, WebhookVerificationError, webhooks } from '@florin/sdk';
import { randomUUID } from 'node:crypto';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import { Receiver } from './harness/receiver';
import type { RunningFlorin } from './harness/running-florin';
import { runExample } from './harness/run-example';
import { until } from './harness/until';

let running: RunningFlorin;
let receiver: Receiver;
let apiKey: string;
let florin: Florin;

beforeAll(async () => {
  [running, receiver] = await Promise.all([sharedFlorin(), Receiver.start()]);
});
afterAll(() => receiver.close());

beforeEach(async () => {
  apiKey = (await new Operator(running).newAccount()).key!;
  florin = new Florin({ apiKey, baseUrl: running.baseUrl });
});

const newHolder = () =>
  florin.holders.create({
    name: 'Edith Example',
    email: 'edith@example.com',
    kind: 'individual',
    externalId: randomUUID(),
  });

const issueTo = (holderId: string) =>
  ({ type: 'issue', productId: 'virtual-usd', amount: '100.00', expectedTotal: '103.20', holderId }) as const;

const caught = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );

/** A client that gets no response to its first request, which Florin has processed. */
function losingTheFirstResponse(): Florin {
  let requests = 0;
  const fetchButLose: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    requests += 1;
    if (requests > 1) return response;
    await response.text();
    throw new TypeError('The connection was closed');
  };
  return new Florin({ apiKey, baseUrl: running.baseUrl, fetch: fetchButLose });
}

describe('The TypeScript SDK', () => {
  it('issues a card and waits for it', async () => {
    await florin.sandbox.fund({ amount: '250.00' });
    const { id: holderId } = await newHolder();
    const { total } = await florin.quotes.create({
      type: 'issue',
      productId: 'virtual-usd',
      amount: '100.00',
      holderId,
    });
    const { id, status } = await florin.operations.create({ ...issueTo(holderId), expectedTotal: total });
    expect([total, status]).toEqual(['103.20', 'queued']);
    const completed = await florin.operations.waitFor(id);
    expect(completed).toMatchObject({ id, status: 'completed', total });
    expect(await florin.cards.get(completed.result.cardId!)).toMatchObject({ holderId, balance: '100.00' });
    expect(await florin.balance.get()).toMatchObject({ available: '146.80', held: '0.00' });
  });

  it('repeats a request whose response was lost, without a second effect', async () => {
    const { replayed } = await losingTheFirstResponse().sandbox.fund({ amount: '250.00' }).withResponse();
    expect(replayed).toBe(true);
    expect(await florin.balance.get()).toMatchObject({ available: '250.00' });
  });

  it('requests many operations, and repeats them without a second effect', async () => {
    await florin.sandbox.fund({ amount: '150.00' });
    const order = issueTo((await newHolder()).id);
    const operations = ['first', 'second'].map((idempotencyKey) => ({ ...order, idempotencyKey }));
    const { results } = await losingTheFirstResponse().operations.createMany({ operations });
    expect(results).toMatchObject([
      { idempotencyKey: 'first', status: 201, replayed: true, operation: { status: 'queued' } },
      { idempotencyKey: 'second', status: 400, error: { code: 'insufficient_funds' } },
    ]);
    expect((await florin.operations.list()).data.map(({ id }) => id)).toEqual([results[0]!.operation!.id]);
  });

  it('repeats a call with the same key, without a second effect', async () => {
    await florin.sandbox.fund({ amount: '250.00' });
    const order = issueTo((await newHolder()).id);
    const first = await florin.operations.create(order, { idempotencyKey: 'order-4711' }).withResponse();
    const second = await florin.operations.create(order, { idempotencyKey: 'order-4711' }).withResponse();
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.data).toEqual(first.data);
    const other = { ...order, name: 'Travel' };
    const conflict = await caught(florin.operations.create(other, { idempotencyKey: 'order-4711' }));
    expect(ApiError.is(conflict, 'idempotency_conflict')).toBe(true);
  });

  it('reads lists page by page', async () => {
    const created = [await newHolder(), await newHolder(), await newHolder(), await newHolder(), await newHolder()];
    const listed: string[] = [];
    for await (const { id } of florin.holders.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(created.map(({ id }) => id).reverse());
    const sizes: number[] = [];
    for await (const { data } of florin.holders.list({ limit: 2 }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('filters by metadata', async () => {
    await florin.sandbox.fund({ amount: '250.00' });
    const order = { ...issueTo((await newHolder()).id), metadata: { 'order no': '47&11' } };
    const { id } = await florin.operations.create(order);
    const { data } = await florin.operations.list({ metadata: { 'order no': '47&11' } });
    expect(data.map((operation) => operation.id)).toEqual([id]);
    expect((await florin.operations.list({ metadata: { 'order no': '4711' } })).data).toEqual([]);
  });

  it('throws typed errors with the request id', async () => {
    const error = await caught(
      florin.operations.create(issueTo((await newHolder()).id), { requestId: 'sdk-spec-1', idempotencyKey: 'poor' }),
    );
    expect(ApiError.is(error, 'insufficient_funds')).toBe(true);
    expect(error).toMatchObject({
      status: 400,
      requestId: 'sdk-spec-1',
      request: { method: 'POST', path: '/api/v1/operations', idempotencyKey: 'poor', attempts: 1 },
    });
    const stranger = new Florin({ apiKey: `${apiKey.slice(0, -6)}aaaaaa`, baseUrl: running.baseUrl });
    expect(ApiError.is(await caught(stranger.balance.get()), 'invalid_key')).toBe(true);
  });

  it('verifies real webhooks', async () => {
    const path = `/${randomUUID()}`;
    const { secret } = await florin.webhookEndpoints.create({ url: receiver.url(path) });
    const { id } = await florin.sandbox.triggerEvent({ type: 'operation.completed' });
    const [delivery] = await until(
      'the event has arrived',
      () => Promise.resolve(receiver.at(path)),
      ({ length }) => length > 0,
    );
    const { body, signature, arrivedAt: now } = delivery!;
    const event = await webhooks.verify(body, signature, secret, { now });
    expect(event).toEqual(await florin.events.get(id));
    expect(event.type === 'operation.completed' && event.data.object.status).toBe('completed');
    const tampered = webhooks.verify(`${body.toString()} `, signature, secret, { now });
    await expect(tampered).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it('deletes an endpoint', async () => {
    const { id } = await florin.webhookEndpoints.create({ url: receiver.url('/deleted') });
    expect(await florin.webhookEndpoints.delete(id)).toBeUndefined();
    expect((await florin.webhookEndpoints.list()).data).toEqual([]);
  });

  it('returns statements as JSON and CSV', async () => {
    await florin.sandbox.fund({ amount: '250.00' });
    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const range = { from: yesterday, to: today };
    const { data, revision, hash } = await florin.statements.get(range);
    expect(data.map(({ amount }) => amount)).toEqual(['250.00']);
    expect(await florin.statements.verify({ ...range, revision, hash })).toMatchObject({ valid: true });
    expect(await florin.statements.getCsv(range)).toContain('250.00');
  });
});

describe('The examples', () => {
  it('of the SDK run', () => {
    const lines = runExample('clients/typescript/README.md', 'ts', running.baseUrl, apiKey);
    expect(lines).toEqual([
      expect.stringMatching(/^completed [0-9a-f-]{36}$/),
      expect.stringMatching(/^true true [0-9a-f-]{36}$/),
      expect.stringMatching(/^\d+\.\d\d$/),
      expect.stringMatching(/^quote_changed [0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36} active$/),
      '1 undefined',
      'order-4712 201 undefined',
      'order-4713 201 undefined',
      'o1',
      '204',
      expect.stringMatching(/^GET \/api\/v1\/products 1 200 \S+ \d+ undefined$/),
    ]);
  });

  it('of the README run', async () => {
    await newHolder();
    const lines = runExample('README.md', 'js', running.baseUrl, apiKey);
    expect(lines[0]).toBe('completed {');
    expect(lines.at(-1)).toMatch(/^[0-9a-f-]{36} 103\.20$/);
  });

  it('of the guide to idempotency run', async () => {
    const { id } = await florin.sandbox.triggerEvent({ type: 'card.created' });
    const lines = runExample('docs/IDEMPOTENCY.md', 'js', running.baseUrl, apiKey);
    expect(lines).toEqual(['true', `${id} card.created`]);
  });

  it('of the guide to webhooks run', async () => {
    const [line] = runExample('docs/WEBHOOKS.md', 'js', running.baseUrl, apiKey);
    expect(line).toMatch(/^[0-9a-f-]{36} whsec_/);
    const { data } = await florin.webhookEndpoints.list();
    expect(data.map(({ id, status }) => [id, status])).toEqual([[line!.split(' ')[0], 'enabled']]);
  });
});
