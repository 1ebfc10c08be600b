import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import type { InvoiceCommand, InvoiceTerms } from '@florin/invoicing-domain';
import { randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import * as fc from 'fast-check';
import { Invoices } from './aggregates';

const headers = { correlationId: 'test', causationId: 'test', actor: serviceActor('test') };
const accountId = 'acme-live';
const clock = manualClock('2030-01-15T12:00:00.000Z');

const termsOf = (invoiceId: string): InvoiceTerms => {
  const ids = { invoiceId, companyId: 'acme', environment: 'live', accountId, fingerprint: 'f' } as const;
  const amounts = { depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' };
  return { ...ids, ...amounts, createdAt: '2030-01-15T12:00:00.000Z', expiresAt: '2030-01-15T13:00:00.000Z' };
};

describe('two replicas with concurrent requests for one account', () => {
  const replicas = () => {
    const store = new InMemoryEventStore();
    return {
      store,
      each: [
        new Invoices(store, new InMemorySnapshotStore(), clock),
        new Invoices(store, new InMemorySnapshotStore(), clock),
      ] as const,
    };
  };
  const send = (invoices: Invoices, command: InvoiceCommand) =>
    invoices.handle(accountId, command, { id: randomId(), headers });

  it('open one invoice and refuse all others', async () => {
    const { each } = replicas();
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send(each[index % 2]!, { type: 'OpenInvoice', data: termsOf(`i${index}`) }),
      ),
    );
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    const refusals = replies.flatMap((reply) => (reply.ok ? [] : [reply.refusal.refused]));
    expect(new Set(refusals)).toEqual(new Set(['unresolved_invoice_exists']));
  });

  it('return the same for the same request and open it once', async () => {
    const { each, store } = replicas();
    const open = { type: 'OpenInvoice', data: termsOf('i1') } as const;
    const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => send(each[index % 2]!, open)));
    expect(replies.filter((reply) => reply.ok && !reply.repeated)).toHaveLength(1);
    expect(replies.filter((reply) => reply.ok && reply.repeated)).toHaveLength(9);
    expect(await store.head()).toBe(1n);
  });

  it('never have two unresolved invoices in any order of events', async () => {
    const step = fc.record({ open: fc.boolean(), which: fc.nat(5), to: fc.nat(1), waits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { each, store } = replicas();
        const pending: Promise<unknown>[] = [];
        for (const { open, which, to, waits } of steps) {
          const data = termsOf(`i${which}`);
          const abandon = {
            type: 'AbandonInvoice',
            data: { accountId, invoiceId: `i${which}`, reason: 'Full' },
          } as const;
          pending.push(send(each[to]!, open ? { type: 'OpenInvoice', data } : abandon));
          if (waits) await Promise.all(pending);
        }
        await Promise.all(pending);
        let unresolved = 0;
        for (const { type } of (await store.readAll({ after: 0n })).events) {
          unresolved += type === 'InvoiceOpened' ? 1 : -1;
          expect([0, 1]).toContain(unresolved);
        }
      }),
      { numRuns: 200 },
    );
  });
});
