import { endpointAggregate } from '@florin/webhooks-domain';
import { randomId, retainedRequests } from '@florin/kernel';
import { startWebhooksTestSetup, type WebhooksTestSetup } from '../testing/webhooks-test-setup';

jest.setTimeout(60_000);

const companyId = randomId();
let setup: WebhooksTestSetup;
let authorization: string;

beforeAll(async () => {
  setup = await startWebhooksTestSetup();
  authorization = `Bearer ${setup.keys.add({ companyId, environment: 'sandbox', scopes: ['webhooks:write'] })}`;
});
afterAll(() => setup.close());

async function trigger(idempotencyKey?: string, type = 'card.created') {
  const headers = { authorization, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
  const sent = await setup.app.inject({ method: 'POST', url: '/api/v1/sandbox/events', payload: { type }, headers });
  return { status: sent.statusCode, headers: sent.headers, body: JSON.parse(sent.body) as unknown };
}

/** Sends so many later requests that the aggregate forgets those before. */
async function forgetRequests(): Promise<void> {
  setup.clock.advance(retainedRequests.forMs + 1);
  for (let index = 0; index < retainedRequests.min; index += 1) expect((await trigger()).status).toBe(202);
}

async function storedEvents(): Promise<number> {
  let count = 0;
  for await (const page of setup.store.readStream(`${endpointAggregate.category}-${companyId}-sandbox`)) {
    count += page.length;
  }
  return count;
}

/** After this time a lookup does not use the head of the log that an earlier one has read. */
const untilHeadIsReadAgain = () => new Promise((resolve) => setTimeout(resolve, 1_000));

describe('A request that the aggregate has forgotten', () => {
  it('returns the original response and is not executed again', async () => {
    const first = await trigger('old');
    await forgetRequests();
    await untilHeadIsReadAgain();
    const before = await storedEvents();
    const repeated = await trigger('old');
    expect(repeated).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' }, body: first.body });
    expect(await storedEvents()).toBe(before);
  });

  it('rejects a different request with its key', async () => {
    expect(await trigger('old', 'card.updated')).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it('is not executed while the read model does not have it yet', async () => {
    let stored = 0;
    await setup.withoutAcceptedRequests(async () => {
      expect((await trigger('not-projected')).status).toBe(202);
      await forgetRequests();
      await untilHeadIsReadAgain();
      stored = await storedEvents();
      expect(await trigger('not-projected')).toMatchObject({ status: 503 });
      expect(await storedEvents()).toBe(stored);
    });
    expect(await trigger('not-projected')).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
    expect(await storedEvents()).toBe(stored);
  });
});

it('recognizes a repeat that the read model does not have yet, while the aggregate remembers it', async () => {
  await trigger('before');
  await setup.withoutAcceptedRequests(async () => {
    expect((await trigger('recent')).status).toBe(202);
    const before = await storedEvents();
    expect(await trigger('recent')).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
    expect(await storedEvents()).toBe(before);
  });
});
