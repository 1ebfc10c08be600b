import type { RecordedEvent } from '@florin/event-sourcing';
import { commandLog } from '@florin/event-sourcing/testing';
import { invoiceAggregate, type InvoiceTerms } from '@florin/invoicing-domain';
import { deterministicId, randomId, retainedRequests } from '@florin/kernel';
import { cardAggregate, type CardCommand } from '@florin/operations-domain';
import {
  endpointAggregate,
  type EndpointCommand,
  requestFingerprint,
  type TestEndpoint,
} from '@florin/webhooks-domain';
import { changeStatus, issue, topUp } from '../cards/testing/card-commands';
import { acme, idOf } from '../testing/owners';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { acceptedRequestsProjection } from './accepted-requests.projection';
import { AcceptedRequestQueries } from './accepted-requests.queries';

const accountId = `${acme.companyId}-${acme.environment}`;
const startMs = Date.parse('2030-01-01T10:00:00.000Z');
const endpointId = randomId();
const keyed = (name: string | number): string => deterministicId('key', String(name));

let database: ReadModelDatabase;
let queries: AcceptedRequestQueries;

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new AcceptedRequestQueries(database.reads, upToDate);
});
afterAll(() => database.close());
beforeEach(() => database.empty('accepted_requests'));

/** The events of the types that the subscription delivers. */
async function project(events: readonly RecordedEvent[]): Promise<void> {
  const types = acceptedRequestsProjection.eventTypes!;
  await database.project(
    acceptedRequestsProjection,
    events.filter(({ type }) => types.includes(type)),
  );
}

const register: EndpointCommand = {
  type: 'RegisterEndpoint',
  data: {
    ...{ ...acme, accountId, endpointId, url: 'https://example.com', secretId: randomId() },
    ...{ requestId: keyed('register'), fingerprint: 'of the body', now: new Date(startMs).toISOString() },
  },
};
const test = (requestId: string, ms = 0): TestEndpoint => ({
  type: 'TestEndpoint',
  data: { accountId, endpointId, requestId, now: new Date(startMs + ms).toISOString() },
});

describe('The read model of accepted requests', () => {
  it('has those with a key, with what the response needs', async () => {
    const log = commandLog();
    const card = log.runner(cardAggregate, ({ data }: CardCommand) => data.cardId);
    const endpoint = log.runner(endpointAggregate, () => accountId);
    await card(issue(1, acme));
    await card(topUp(1, 2, '0.01'));
    await card(changeStatus('FreezeCard', 1, acme, keyed('freeze')));
    await card(topUp(1, 3, '0.01'));
    await card(changeStatus('UnfreezeCard', 1, acme, keyed('unfreeze')));
    await card(changeStatus('FreezeCard', 1, acme, idOf('card', 9)));
    await endpoint(register);
    await endpoint(test(keyed('test')));
    await endpoint(test(randomId()));
    await project(await log.events());
    await project(await log.events());

    expect(await database.rows('accepted_requests')).toHaveLength(4);
    const frozen = { status: 'frozen', balance: '100.01', available: '100.01' };
    expect(await queries.find(acme, keyed('freeze'))).toEqual({ fingerprint: null, reply: frozen });
    const active = { status: 'active', balance: '100.02', available: '100.02' };
    expect(await queries.find(acme, keyed('unfreeze'))).toEqual({ fingerprint: null, reply: active });
    expect(await queries.find(acme, keyed('register'))).toEqual({ fingerprint: 'of the body', reply: null });
    const fingerprint = requestFingerprint(test(keyed('test')));
    expect(await queries.find(acme, keyed('test'))).toEqual({ fingerprint, reply: null });
    expect(await queries.find(acme, keyed('other'))).toBeUndefined();
  });

  it('has a request that the aggregate has forgotten', async () => {
    const log = commandLog();
    const endpoint = log.runner(endpointAggregate, () => accountId);
    await endpoint(register);
    for (let number = 0; number <= retainedRequests.min; number++) {
      await endpoint(test(keyed(number), number * 2 * retainedRequests.forMs));
    }
    expect(await endpoint(test(keyed(0), 0))).toMatchObject({ ok: false, refusal: { refused: 'request_outdated' } });
    await project(await log.events());
    expect(await queries.find(acme, keyed(0))).toEqual({
      fingerprint: requestFingerprint(test(keyed(0))),
      reply: null,
    });
  });

  it('has the requests and cancellations of invoices, with the expiry at that time', async () => {
    const log = commandLog();
    const invoices = log.runner(invoiceAggregate, () => accountId);
    const terms: InvoiceTerms = {
      ...{ ...acme, invoiceId: keyed('invoice'), accountId, fingerprint: 'of the body' },
      ...{ depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' },
      ...{ createdAt: '2030-01-01T10:00:00.000Z', expiresAt: '2030-01-01T11:00:00.000Z' },
    };
    await invoices({ type: 'OpenInvoice', data: terms });
    const canceledAt = '2030-01-01T10:30:00.000Z';
    const request = { accountId, invoiceId: keyed('invoice'), requestId: keyed('cancel'), canceledAt };
    await invoices({ type: 'CancelInvoice', data: request });
    await project(await log.events());
    const reply = { expiresAt: terms.expiresAt };
    expect(await queries.findNow(acme, keyed('invoice'))).toEqual({ fingerprint: 'of the body', reply });
    const canceled = { fingerprint: null, reply: { expiresAt: canceledAt } };
    expect(await queries.find(acme, keyed('cancel'))).toEqual(canceled);
  });

  it('leaves the requests of old events without a balance to the card', async () => {
    const log = commandLog();
    const card = log.runner(cardAggregate, ({ data }: CardCommand) => data.cardId);
    await card(issue(1, acme));
    await card(changeStatus('FreezeCard', 1, acme, keyed('old')));
    const old = (await log.events()).map((event) => ({ ...event, data: event.data.replace(/,"after":\{[^}]*\}/, '') }));
    await project(old);
    expect(await queries.find(acme, keyed('old'))).toBeUndefined();
  });

  it('rejects every query while it is behind', async () => {
    await allRejectedAsStale([new AcceptedRequestQueries(database.reads, behind).find(acme, keyed('x'))]);
  });
});
