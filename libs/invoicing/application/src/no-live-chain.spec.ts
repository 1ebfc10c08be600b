import type { CommandReply } from '@florin/event-sourcing';
import type { InvoiceAnswer } from '@florin/invoicing-domain';
import { InvoicingApp } from './testing/invoicing-app';

const app = new InvoicingApp();
afterAll(() => app.stop());

it('fails a live invoice immediately when no address is configured, and accepts the next one', async () => {
  await app.start({ addresses: [] });
  const ids = { companyId: 'acme', environment: 'live', accountId: 'acme-live' };
  const request = (invoiceId: string): Promise<CommandReply<InvoiceAnswer>> => {
    const data = { ...ids, invoiceId, amount: '100.00', fingerprint: 'f' };
    return app.send('invoicing', ids.accountId, { type: 'RequestInvoice', data });
  };
  const unpayable = { status: 'failed', address: null, payAmount: null, expiresAt: null };
  expect(await request('i1')).toMatchObject({ ok: true, repeated: false, answer: unpayable });
  expect(await request('i1')).toMatchObject({ ok: true, repeated: true, answer: unpayable });
  expect(await request('i2')).toMatchObject({ ok: true, repeated: false, answer: unpayable });
});
