import { InMemoryEventStore, InMemorySnapshotStore, silentLog } from '@florin/event-sourcing/testing';
import { distinctAmounts, type InvoiceTerms } from '@florin/invoicing-domain';
import { serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { Addresses } from './aggregates';
import { PayAddressAllocator } from './pay-address-allocator';

const headers = { correlationId: 'test', causationId: 'test', actor: serviceActor('test') };
const lifetimeMs = 60 * 60 * 1_000;

function allocatorAt(addresses: readonly string[], store = new InMemoryEventStore()) {
  const clock = manualClock('2030-01-15T12:00:00.000Z');
  const handler = new Addresses(store, new InMemorySnapshotStore(), clock);
  const options = { addresses, lifetimeMs, minimumAmount: '10.00', log: silentLog };
  return { clock, store, allocator: new PayAddressAllocator(handler, clock, options), handler };
}

const termsOf = (invoiceId: string, environment: 'sandbox' | 'live' = 'live'): InvoiceTerms => {
  const ids = { invoiceId, companyId: 'acme', environment, accountId: `acme-${environment}`, fingerprint: 'f' };
  const amounts = { depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' };
  return { ...ids, ...amounts, createdAt: '2030-01-15T12:00:00.000Z', expiresAt: '2030-01-15T13:00:00.000Z' };
};

const full = 'TReasury1';
const withFullAddress = allocatorAt([full, 'TReasury2']);

/** Claims all amounts of an address. */
beforeAll(async () => {
  const times = {
    claimedAt: '2030-01-15T12:00:00.000Z',
    expiresAt: '2030-01-15T13:00:00.000Z',
    watchedUntil: '2030-01-22T13:00:00.000Z',
  };
  const claims = Array.from({ length: distinctAmounts }, (_, index) => {
    const claim = { invoiceId: `other${index}`, accountId: 'others', ...times };
    const data = { address: full, ...claim, depositAmount: '100.00', draw: index };
    return withFullAddress.handler.handle(full, { type: 'ClaimPayAmount', data }, { id: `c${index}`, headers });
  });
  const replies = await Promise.all(claims);
  expect(replies.filter(({ ok }) => !ok)).toEqual([]);
}, 30_000);

describe('PayAddressAllocator', () => {
  it('returns the same address and amount for a repeated call', async () => {
    const { allocator, store } = allocatorAt(['TReasury1', 'TReasury2', 'TReasury3']);
    const first = await allocator.allocate(termsOf('i1'), headers);
    expect(first).toMatchObject({ type: 'IssueInvoice', data: { invoiceId: 'i1' } });
    expect(await allocator.allocate(termsOf('i1'), headers)).toEqual(first);
    expect(await store.head()).toBe(1n);
  });

  it('draws the amount at random, so that no idempotency key leads to a chosen amount', async () => {
    // A key determines the invoice id, and a client can compute ids without sending requests.
    const amounts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { allocator } = allocatorAt(['TReasury1']);
        const reply = await allocator.allocate(termsOf('i1'), headers);
        return reply.type === 'IssueInvoice' ? reply.data.payAmount : undefined;
      }),
    );
    expect(amounts).toEqual(amounts.map(() => expect.stringMatching(/^100\.00\d{4}$/) as string));
    // Eight equal draws have a probability of 10^-28.
    expect(new Set(amounts).size).toBeGreaterThan(1);
  });

  it('uses another address when one is full', async () => {
    const { allocator } = withFullAddress;
    const replies = await Promise.all(['i1', 'i2', 'i3', 'i4'].map((id) => allocator.allocate(termsOf(id), headers)));
    for (const reply of replies) expect(reply).toMatchObject({ data: { address: 'TReasury2' } });
  });

  it('fails when all addresses are full', async () => {
    const { allocator } = allocatorAt([full], withFullAddress.store);
    expect(await allocator.allocate(termsOf('i5'), headers)).toMatchObject({
      type: 'AbandonInvoice',
      data: { invoiceId: 'i5', reason: expect.stringContaining('No address has a free amount') as string },
    });
  });

  it('fails for an expired invoice', async () => {
    const { allocator, clock, store } = allocatorAt(['TReasury1']);
    clock.set('2030-01-15T13:00:00.000Z');
    expect(await allocator.allocate(termsOf('i1'), headers)).toMatchObject({ type: 'AbandonInvoice' });
    expect(await store.head()).toBe(0n);
  });

  it('reuses amounts after their watch period: by the system clock in the sandbox, by block times in live', async () => {
    for (const environment of ['sandbox', 'live'] as const) {
      const { allocator, clock, store } = allocatorAt(['TReasury1']);
      const first = await allocator.allocate(termsOf('i1', environment), headers);
      clock.set('2030-01-22T13:00:00.000Z');
      const later = { ...termsOf('i2', environment), expiresAt: '2030-01-22T14:00:00.000Z' };
      const second = await allocator.allocate(later, headers);
      expect([first.type, second.type]).toEqual(['IssueInvoice', 'IssueInvoice']);
      const types = (await store.readAll({ after: 0n })).events.map(({ type }) => type);
      const freed = environment === 'sandbox' ? ['ClaimLost', 'AmountsFreed'] : [];
      expect(types).toEqual(['PayAmountClaimed', ...freed, 'PayAmountClaimed']);
    }
  });
});
