import { InMemoryEventStore, InMemorySnapshotStore, silentLog } from '@florin/event-sourcing/testing';
import { distinctAmounts, type InvoiceTerms } from '@florin/invoicing-domain';
import { manualClock } from '@florin/kernel';
import { Addresses } from './aggregates';
import { PayAddressAllocator } from './pay-address-allocator';

const headers = { correlationId: 'test', causationId: 'test' };
const lifetimeMs = 60 * 60 * 1_000;

function placesAt(addresses: readonly string[], store = new InMemoryEventStore()) {
  const clock = manualClock('2030-01-15T12:00:00.000Z');
  const handler = new Addresses(store, new InMemorySnapshotStore(), clock);
  const options = { addresses, lifetimeMs, minimumAmount: '10.00', log: silentLog };
  return { clock, store, places: new PayAddressAllocator(handler, clock, options), handler };
}

const termsOf = (invoiceId: string, environment: 'sandbox' | 'live' = 'live'): InvoiceTerms => {
  const ids = { invoiceId, companyId: 'acme', environment, accountId: `acme-${environment}`, fingerprint: 'f' };
  const amounts = { depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' };
  return { ...ids, ...amounts, createdAt: '2030-01-15T12:00:00.000Z', expiresAt: '2030-01-15T13:00:00.000Z' };
};

const full = 'TReasury1';
const withFullAddress = placesAt([full, 'TReasury2']);

/** As many claims as there are amounts. */
beforeAll(async () => {
  const times = {
    claimedAt: '2030-01-15T12:00:00.000Z',
    expiresAt: '2030-01-15T13:00:00.000Z',
    watchedUntil: '2030-01-22T13:00:00.000Z',
  };
  const claims = Array.from({ length: distinctAmounts }, (_, index) => {
    const data = { address: full, invoiceId: `other${index}`, accountId: 'others', ...times, depositAmount: '100.00' };
    return withFullAddress.handler.handle(full, { type: 'ClaimPayAmount', data }, { id: `c${index}`, headers });
  });
  const replies = await Promise.all(claims);
  expect(replies.filter(({ ok }) => !ok)).toEqual([]);
}, 30_000);

describe('A place to pay', () => {
  it('is the same for whoever asks again', async () => {
    const { places, store } = placesAt(['TReasury1', 'TReasury2', 'TReasury3']);
    const first = await places.find(termsOf('i1'), headers);
    expect(first).toMatchObject({ type: 'IssueInvoice', data: { invoiceId: 'i1' } });
    expect(await places.find(termsOf('i1'), headers)).toEqual(first);
    expect(await store.head()).toBe(1n);
  });

  it('is at another address where one is full', async () => {
    const { places } = withFullAddress;
    const replies = await Promise.all(['i1', 'i2', 'i3', 'i4'].map((id) => places.find(termsOf(id), headers)));
    for (const reply of replies) expect(reply).toMatchObject({ data: { address: 'TReasury2' } });
  });

  it('is nowhere where all are full', async () => {
    const { places } = placesAt([full], withFullAddress.store);
    expect(await places.find(termsOf('i5'), headers)).toMatchObject({
      type: 'AbandonInvoice',
      data: { invoiceId: 'i5', reason: expect.stringContaining('At no address') as string },
    });
  });

  it('is not looked for once its time is over', async () => {
    const { places, clock, store } = placesAt(['TReasury1']);
    clock.set('2030-01-15T13:00:00.000Z');
    expect(await places.find(termsOf('i1'), headers)).toMatchObject({ type: 'AbandonInvoice' });
    expect(await store.head()).toBe(0n);
  });

  it('gives amounts out again that nobody watches any more: in the sandbox by our own clock, live not before the chain', async () => {
    for (const environment of ['sandbox', 'live'] as const) {
      const { places, clock, store } = placesAt(['TReasury1']);
      const first = await places.find(termsOf('i1', environment), headers);
      clock.set('2030-01-22T13:00:00.000Z');
      const later = { ...termsOf('i2', environment), expiresAt: '2030-01-22T14:00:00.000Z' };
      const second = await places.find(later, headers);
      expect([first.type, second.type]).toEqual(['IssueInvoice', 'IssueInvoice']);
      const types = (await store.readAll({ after: 0n })).events.map(({ type }) => type);
      const freed = environment === 'sandbox' ? ['ClaimLost', 'AmountsFreed'] : [];
      expect(types).toEqual(['PayAmountClaimed', ...freed, 'PayAmountClaimed']);
    }
  });
});
