import { IssuerSimulator } from '@florin/issuer-simulator';
import { signPayload } from '@florin/kernel';
import type { TronSimulator } from '@florin/tron-simulator';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, expectBody } from './harness/account';
import { ApiClient } from './harness/client';
import { EventLog } from './harness/event-log';
import { everyPage } from './harness/inbox';
import { chainSettings, startChain } from './harness/live-chain';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';

const secret = 'a-secret-shared-with-the-issuer';

/** Events that only an issuer or a chain can cause. They are not delivered, because live forbids local receivers. */
describe('events in live', () => {
  let chain: TronSimulator;
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let companyId: string;
  let account: Account;

  beforeAll(async () => {
    chain = await startChain();
    issuer = await IssuerSimulator.start({ secret });
    const env = { ...chainSettings(chain), ISSUER_URL: issuer.url, ISSUER_SECRET: secret };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    companyId = await operator.newCompany({ activations: ['services', 'direct_invoices'] });
    const log = new EventLog(florin);
    await log.depositLive(companyId, '1000.00');
    await log.close();
    account = await operator.newKey(companyId, 'live');
  });

  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    await Promise.all([issuer.close(), chain.stop()]);
    florin.removeData();
  });

  type Thing = object & { id: string };

  /** Expects the newest event of the object to have this type and version, and the content of the API response. */
  async function expectTold(type: string, objectVersion: number, object: Thing, to = account): Promise<void> {
    const events = await everyPage<WebhookEvent>(to, '/api/v1/events?limit=100');
    const told = events.filter(({ data }) => data.object['id'] === object.id);
    const newest = told.find((event) => event.objectVersion === told.length);
    expect(newest).toMatchObject({ type, objectVersion, environment: 'live' });
    expect(newest!.data.object).toEqual(object);
  }

  async function report(cardId: string, status: string): Promise<{ id: string }> {
    const facts = { reference: 'txn-1', type: 'purchase', amount: '10.00', currency: 'USD', merchant: 'Coffee House' };
    const transaction = { ...facts, status, country: 'NL', occurredAt: '2026-01-31T12:00:00.000Z' };
    const rawBody = JSON.stringify({ type: 'transaction', companyId, cardReference: `sim-${cardId}`, transaction });
    const headers = { 'Issuer-Signature': signPayload(secret, Math.floor(Date.now() / 1_000), rawBody) };
    const anybody = new ApiClient(florin.baseUrl, undefined);
    expectBody(await anybody.send('POST', '/issuer/v1/callbacks', { rawBody, headers }), 200);
    return (await account.list<{ id: string }>('/api/v1/transactions')).data[0]!;
  }

  it('report a cardholder, a card, and a payment that completes later', async () => {
    const holderId = await account.newHolder();
    const holder = async () => (await account.list<{ id: string }>('/api/v1/holders')).data[0]!;
    await expectTold('holder.created', 1, await holder());
    expectBody(await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' }), 200);
    await expectTold('holder.updated', 2, await holder());
    const cardId = await account.newCard(holderId, '100');
    await expectTold('card.created', 1, await account.card(cardId));
    await expectTold('transaction.created', 1, await report(cardId, 'pending'));
    await expectTold('card.updated', 2, await account.card(cardId));
    await expectTold('transaction.updated', 2, await report(cardId, 'completed'));
    // The pending payment held the amount, and now it is off the balance.
    await expectTold('card.updated', 3, await account.card(cardId));
    await expectTold('transaction.updated', 3, await report(cardId, 'reversed'));
    await expectTold('card.updated', 4, await account.card(cardId));
    expect((await account.card(cardId)).balance).toBe('100.00');
  });

  it('report invoices that are paid late and their resolution', async () => {
    // Both must exist before the clock of the chain is set ahead.
    const late = [];
    for (const outcome of ['completed', 'failed']) {
      const payer = await operator.newKey(await operator.newCompany({ activations: ['direct_invoices'] }), 'live');
      const invoice = await payer.newInvoice();
      await expectTold('invoice.pending', 1, invoice, payer);
      late.push({ outcome, payer, invoice });
    }
    chain.setTime(late[1]!.invoice.expiresAt);
    chain.mine();
    for (const { payer, invoice } of late) {
      await expectTold('invoice.expired', 2, await payer.untilInvoice(invoice.id, 'expired'), payer);
      chain.pay({ to: invoice.address, amount: invoice.payAmount });
      await expectTold('invoice.manual_review', 3, await payer.untilInvoice(invoice.id, 'manual_review'), payer);
    }
    for (const { outcome, payer, invoice } of late) {
      expectBody(await operator.resolve(invoice.id, outcome), 200);
      await expectTold(`invoice.${outcome}`, 4, await payer.untilInvoice(invoice.id, outcome), payer);
    }
  });
});
