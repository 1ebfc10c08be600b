import { requestedEventId, webhookEventTypes } from '@florin/webhooks-domain';
import * as card from '../cards/testing/card-commands';
import * as holder from '../holders/testing/holder-commands';
import * as invoice from '../invoices/testing/invoice-commands';
import * as operation from '../operations/testing/operation-commands';
import { acme, acmeLive, ida, idOf } from '../testing/owners';
import * as endpoint from './testing/endpoint-commands';
import { type WebhooksFixture, webhooksFixture } from './testing/webhooks-fixture';

let fixture: WebhooksFixture;

beforeAll(async () => {
  fixture = await webhooksFixture();
});
afterAll(() => fixture.database.close());
beforeEach(() => fixture.reset());

const at = (time: string) => fixture.log.clock.set(time);

describe('webhooksProjection', () => {
  it('publishes an operation from its order to its end', async () => {
    const id = idOf('operation', 1);
    at('2030-01-01T10:00:00.001Z');
    const metadata = { order: '4711' };
    const [queued, ...none] = await fixture.run(
      fixture.log.operation(operation.queue(operation.orderOf(id, acmeLive, { metadata }))),
    );
    const object = {
      ...{ id, environment: 'live', type: 'issue', status: 'queued' },
      ...{ amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD', productId: 'virtual-usd' },
      ...{ holderId: idOf('holder', 1), metadata, result: {} },
      ...{ createdAt: operation.createdAt, updatedAt: operation.createdAt },
    };
    expect(none).toEqual([]);
    expect(queued).toStrictEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) as string,
      ...{ type: 'operation.queued', createdAt: '2030-01-01T10:00:00.001Z', environment: 'live' },
      ...{ companyId: acme.companyId, objectVersion: 1, data: { object } },
    });
    expect(await fixture.run(fixture.log.operation(operation.start(id)))).toEqual([]);
    const [review] = await fixture.run(fixture.log.operation(operation.abandon(id)));
    expect(review).toMatchObject({ type: 'operation.manual_review', objectVersion: 2, environment: 'live' });
    const updatedAt = expect.any(String) as string;
    expect(review!.data.object).toEqual({ ...object, status: 'manual_review', updatedAt });
    await fixture.run(fixture.log.operation(operation.resolve(id, 'completed')));
    const [completed] = await fixture.run(fixture.log.operation(operation.complete(id)));
    expect(completed).toMatchObject({ type: 'operation.completed', objectVersion: 3 });
    const result = { cardId: idOf('card', 1), receipt: 'R-1' };
    const { cardId } = result;
    expect(completed!.data.object).toEqual({ ...object, cardId, status: 'completed', result, updatedAt });
  });

  it('publishes the failure of an operation within one batch', async () => {
    const id = idOf('operation', 2);
    const declined = { outcome: 'declined', code: 'declined', message: 'No' } as const;
    const published = await fixture.run(
      fixture.log.operation(operation.queue(operation.orderOf(id, acme))),
      fixture.log.operation(operation.start(id)),
      fixture.log.operation(operation.record(id, declined)),
      fixture.log.operation(operation.fail(id)),
    );
    expect(published).toMatchObject([{ type: 'operation.queued' }, { type: 'operation.failed', objectVersion: 2 }]);
    const failure = { code: 'declined', message: 'No' };
    expect(published[1]!.data.object).toMatchObject({ id, status: 'failed', failure, result: {} });
  });

  it('publishes a card and its payments', async () => {
    const { log } = fixture;
    const published = await fixture.run(
      log.card(card.issue(1, acme, { cardReference: 'crd_secret' })),
      log.card(card.topUp(1, 2, '0.01')),
      log.card(card.changeStatus('FreezeCard', 1, acme)),
      log.card(card.changeStatus('UnfreezeCard', 1, acme)),
      log.card(card.report(1, acme, 1, { status: 'pending' })),
      log.card(card.report(1, acme, 1)),
      log.card(card.report(1, acme, 1, { status: 'reversed' })),
      log.card(card.report(1, acme, 2, { amount: '1000.00' })),
      log.card(card.unload('ReserveUnload', 1, acme, 3, '100.01')),
      log.card(card.unload('CaptureUnload', 1, acme, 3)),
      log.card(card.changeStatus('CloseCard', 1, acme)),
    );
    expect(
      published.map(({ type, objectVersion, data: { object } }) => {
        const { status, balance, available } = object;
        return balance === available
          ? [type, objectVersion, status, balance]
          : [type, objectVersion, status, balance, available];
      }),
    ).toEqual([
      ['card.created', 1, 'active', '100.00'],
      ['card.updated', 2, 'active', '100.01'],
      ['card.updated', 3, 'frozen', '100.01'],
      ['card.updated', 4, 'active', '100.01'],
      ['transaction.created', 1, 'pending', undefined],
      ['card.updated', 5, 'active', '100.01', '87.51'],
      ['transaction.updated', 2, 'completed', undefined],
      ['card.updated', 6, 'active', '87.51'],
      ['transaction.updated', 3, 'reversed', undefined],
      ['card.updated', 7, 'active', '100.01'],
      ['transaction.created', 1, 'declined', undefined],
      ['card.updated', 8, 'active', '100.01', '0.00'],
      ['card.updated', 9, 'active', '0.00'],
      ['card.updated', 10, 'closed', '0.00'],
    ]);
    expect(new Set(published.map(({ id }) => id)).size).toBe(published.length);
    expect(JSON.stringify(published)).not.toContain('crd_secret');
  });

  it('publishes holders with personal data, and invoices', async () => {
    const { log } = fixture;
    const people = await fixture.run(
      log.holder(holder.register(1, acme)),
      log.holder(holder.setStatus(1, acme, 'blocked')),
    );
    const person = { id: idOf('holder', 1), ...holder.personOf(1), kind: 'individual', externalId: 'customer-1' };
    expect(people).toMatchObject([
      { type: 'holder.created', objectVersion: 1, data: { object: { ...person, status: 'active' } } },
      { type: 'holder.updated', objectVersion: 2, data: { object: { ...person, status: 'blocked' } } },
    ]);
    const invoices = await fixture.run(
      log.invoice(invoice.open(1, ida)),
      log.invoice(invoice.issue(1, ida)),
      log.invoice(invoice.expire(1, ida)),
      log.invoice(invoice.pay(1, ida, 1)),
      log.invoice(invoice.resolve(1, ida, 'failed')),
      log.invoice(invoice.open(2, acme)),
      log.invoice(invoice.abandon(2, acme)),
    );
    const first = invoices.filter(({ companyId }) => companyId === ida.companyId);
    expect(first.map(({ type, data }) => [type, data.object.status, data.object.payAmount])).toEqual([
      ['invoice.pending', 'pending', '100.003127'],
      ['invoice.expired', 'expired', '100.003127'],
      ['invoice.manual_review', 'manual_review', '100.003127'],
      ['invoice.failed', 'failed', '100.003127'],
    ]);
    const second = invoices.filter(({ companyId }) => companyId === acme.companyId);
    expect(second).toMatchObject([{ type: 'invoice.failed', data: { object: { payAmount: null } } }]);
    const paid = await fixture.run(
      log.invoice(invoice.open(3, ida)),
      log.invoice(invoice.issue(3, ida)),
      log.invoice(invoice.pay(3, ida, 2)),
      log.invoice(invoice.complete(3, ida)),
    );
    expect(paid).toMatchObject([{ type: 'invoice.pending' }, { type: 'invoice.completed', companyId: ida.companyId }]);
  });

  it('publishes endpoints that Florin disabled, but not those that the company disabled', async () => {
    const { log } = fixture;
    await fixture.run(log.endpoint(endpoint.register(1, acme)), log.endpoint(endpoint.register(2, acme)));
    expect(await fixture.run(log.endpoint(endpoint.update(1, acme, { status: 'disabled' })))).toEqual([]);
    const [published] = await fixture.run(log.endpoint(endpoint.disable(2, acme, 'failing')));
    expect(published).toMatchObject({ ...acme, type: 'webhook_endpoint.disabled', objectVersion: 1 });
    expect(published!.data.object).toStrictEqual({
      ...{ id: endpoint.endpointId(2), url: 'https://example.com/2', status: 'disabled' },
      ...{ disabledReason: 'failing', createdAt: '2030-01-01T09:00:00.000Z' },
    });
  });

  it('publishes tests and samples of every type with the id returned to the client', async () => {
    const { log } = fixture;
    await fixture.run(log.endpoint(endpoint.register(1, acme)));
    const [tested] = await fixture.run(log.endpoint(endpoint.test(1, acme, 'please')));
    expect(tested).toMatchObject({ id: requestedEventId('please'), type: 'webhook_endpoint.test', ...acme });
    expect(tested!.data.object).toMatchObject({ id: endpoint.endpointId(1), status: 'enabled' });
    for (const type of webhookEventTypes) {
      const [sample] = await fixture.run(log.endpoint(endpoint.trigger(acme, type, `sample ${type}`)));
      expect(sample).toMatchObject({ id: requestedEventId(`sample ${type}`), type, objectVersion: 1, ...acme });
    }
  });

  it('stores the two newest secrets of an endpoint with their validity', async () => {
    const { log, database } = fixture;
    const secrets = async () =>
      (await database.pool.query<{ secrets: unknown }>('SELECT secrets FROM webhooks.endpoints')).rows[0]!.secrets;
    await fixture.run(log.endpoint(endpoint.register(1, acme)));
    expect(await secrets()).toEqual([{ id: endpoint.secretId(1), until: null }]);
    const [first, second] = ['2030-01-02T10:00:00.000Z', '2030-01-02T15:00:00.000Z'];
    at('2030-01-01T10:00:00.000Z');
    await fixture.run(log.endpoint(endpoint.rotate(1, acme, 2, first)));
    at('2030-01-01T15:00:00.000Z');
    await fixture.run(log.endpoint(endpoint.rotate(1, acme, 3, second)));
    expect(await secrets()).toEqual([
      { id: endpoint.secretId(3), until: null },
      { id: endpoint.secretId(2), until: second },
    ]);
    at('2030-01-02T12:00:00.000Z');
    await fixture.run(log.endpoint(endpoint.rotate(1, acme, 4, '2030-01-03T12:00:00.000Z')));
    expect(await secrets()).toMatchObject([4, 3].map((number) => ({ id: endpoint.secretId(number) })));
  });

  it('replaces characters that Postgres cannot store, as the API does', async () => {
    const [published] = await fixture.run(fixture.log.card(card.issue(1, acme, { name: 'a\0b \ud800 😀 \\u0000' })));
    expect(published!.data.object.name).toBe('a\ufffdb \ufffd 😀 \\u0000');
  });
});
