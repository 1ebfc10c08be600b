import type { CommandReply } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore, silentLog } from '@florin/event-sourcing/testing';
import type { InvoiceAnswer, RequestInvoice } from '@florin/invoicing-domain';
import { serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { Addresses, Invoices } from './aggregates';
import { PayAddressAllocator } from './pay-address-allocator';
import { RequestInvoiceHandler } from './request-invoice';

const context = { id: 'request', headers: { correlationId: 'test', causationId: 'test', actor: serviceActor('test') } };
const unusedBus = { request: () => Promise.reject(new Error('unexpected request')), send: async () => undefined };

const request: RequestInvoice = {
  type: 'RequestInvoice',
  data: {
    invoiceId: 'i1',
    companyId: 'acme',
    environment: 'live',
    accountId: 'acme-live',
    amount: '11.00',
    fingerprint: 'f',
  },
};

function replicaOn(store: InMemoryEventStore, now: string, minimumAmount = '10.00') {
  const clock = manualClock(now);
  const options = { addresses: ['TReasury1', 'TReasury2'], lifetimeMs: 90_000, minimumAmount, log: silentLog };
  const invoices = new Invoices(store, new InMemorySnapshotStore(), clock);
  const advances = new AdvanceInvoiceHandler(
    invoices,
    new PayAddressAllocator(new Addresses(store, new InMemorySnapshotStore(), clock), clock, options),
    unusedBus,
  );
  const requests = new RequestInvoiceHandler(invoices, advances, clock, options);
  return { ask: (command = request): Promise<CommandReply<InvoiceAnswer>> => requests.execute(command, context) };
}

const noon = '2030-01-15T12:00:00.000Z';
const later = '2030-01-15T12:01:00.000Z';

describe('RequestInvoiceHandler', () => {
  it('sets the fee and the times', async () => {
    expect(await replicaOn(new InMemoryEventStore(), noon).ask()).toMatchObject({
      ok: true,
      answer: {
        depositAmount: '11.00',
        fee: '0.17',
        creditAmount: '10.83',
        createdAt: noon,
        expiresAt: '2030-01-15T12:01:30.000Z',
      },
    });
  });

  it('returns the same from every replica at any time, also after the minimum was raised', async () => {
    const store = new InMemoryEventStore();
    const first = await replicaOn(store, noon).ask();
    const head = await store.head();
    expect(await replicaOn(store, later, '12.00').ask()).toEqual({ ...first, repeated: true });
    expect(await store.head()).toBe(head);
    const another = { ...request, data: { ...request.data, invoiceId: 'i2' } };
    expect(await replicaOn(store, later, '12.00').ask(another)).toMatchObject({
      refusal: { refused: 'amount_below_minimum', message: expect.stringContaining('12.00') as string },
    });
  });

  it('resumes an interrupted request with its original terms', async () => {
    const whole = new InMemoryEventStore();
    await replicaOn(whole, noon).ask();
    const { events } = await whole.readAll({ after: 0n });
    for (let stored = 1; stored <= events.length; stored++) {
      const store = new InMemoryEventStore();
      for (const event of events.slice(0, stored)) await store.append(event.stream, event.revision - 1, [event]);
      expect(await replicaOn(store, later).ask()).toMatchObject({
        ok: true,
        repeated: true,
        answer: { createdAt: noon },
      });
      const types = (await store.readAll({ after: 0n })).events.map(({ type }) => type);
      expect(types).toEqual(['InvoiceOpened', 'PayAmountClaimed', 'InvoiceIssued']);
    }
  });

  it('returns a failed invoice when it expired before it could be paid', async () => {
    const whole = new InMemoryEventStore();
    await replicaOn(whole, noon).ask();
    const [opened] = (await whole.readAll({ after: 0n })).events;
    const store = new InMemoryEventStore();
    await store.append(opened!.stream, -1, [opened!]);
    const answer = { status: 'failed', address: null, payAmount: null };
    expect(await replicaOn(store, '2030-01-15T12:01:30.000Z').ask()).toMatchObject({
      ok: true,
      repeated: true,
      answer,
    });
  });
});
