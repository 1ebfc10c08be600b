import { type CommandMessage, type CommandReply, NoReply } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore, silentLog } from '@florin/event-sourcing/testing';
import type { InvoiceCommand, InvoiceTerms } from '@florin/invoicing-domain';
import { randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { AdvanceInvoiceHandler } from './advance-invoice';
import { Addresses, Invoices } from './aggregates';
import { PayAddressAllocator } from './pay-address-allocator';

const headers = { correlationId: 'test', causationId: 'test', actor: serviceActor('test') };
const accountId = 'acme-live';
const ids = { accountId, invoiceId: 'i1' };
const clock = manualClock('2030-01-15T12:00:00.000Z');
const options = { addresses: ['TReasury1'], lifetimeMs: 1, minimumAmount: '10.00', log: silentLog };
const terms: InvoiceTerms = {
  ...ids,
  companyId: 'acme',
  environment: 'live',
  depositAmount: '100.00',
  fee: '1.50',
  creditAmount: '98.50',
  createdAt: '2030-01-15T12:00:00.000Z',
  expiresAt: '2030-01-15T13:00:00.000Z',
  fingerprint: 'f',
};

/** A replica with a scripted ledger. */
function replicaOn(store: InMemoryEventStore, ledger: () => Promise<CommandReply>) {
  const invoices = new Invoices(store, new InMemorySnapshotStore(), clock);
  const allocator = new PayAddressAllocator(new Addresses(store, new InMemorySnapshotStore(), clock), clock, options);
  const sent: CommandMessage[] = [];
  const request = <Reply>(message: CommandMessage): Promise<Reply> => {
    sent.push(message);
    return ledger() as Promise<Reply>;
  };
  const advances = new AdvanceInvoiceHandler(invoices, allocator, { request, send: async () => undefined });
  const advance = (): Promise<CommandReply> => advances.execute({ type: 'AdvanceInvoice', data: ids }, { headers });
  const handle = (command: InvoiceCommand) => invoices.handle(accountId, command, { id: randomId(), headers });
  return { advance, handle, sent };
}

const taken = async (): Promise<CommandReply> => ({ ok: true, repeated: false, answer: null });
const moved = { ok: true, repeated: false, answer: null };
const unmoved = { ok: true, repeated: true, answer: null };
const typesIn = async (store: InMemoryEventStore): Promise<string[]> =>
  (await store.readAll({ after: 0n })).events.map(({ type }) => type);

const pay: InvoiceCommand = {
  type: 'RecordPayment',
  data: { ...ids, address: 'TReasury1', depositId: 'd1', late: false },
};

describe('AdvanceInvoiceHandler', () => {
  it('allocates a pay address, waits for the payment and credits it', async () => {
    const store = new InMemoryEventStore();
    const { advance, handle, sent } = replicaOn(store, taken);
    expect(await advance()).toEqual(unmoved);
    await handle({ type: 'OpenInvoice', data: terms });
    expect(await advance()).toEqual(moved);
    expect(await advance()).toEqual(unmoved);
    await handle(pay);
    expect(await advance()).toEqual(moved);
    expect(await advance()).toEqual(unmoved);
    expect(sent.map(({ context, key, command }) => [context, key, command.type])).toEqual([
      ['ledger', accountId, 'DepositFunds'],
    ]);
    expect(await typesIn(store)).toEqual([
      'InvoiceOpened',
      'PayAmountClaimed',
      'InvoiceIssued',
      'InvoicePaid',
      'InvoiceCompleted',
    ]);
  });

  it('reads the stored events again before it does nothing', async () => {
    const store = new InMemoryEventStore();
    const [one, other] = [replicaOn(store, taken), replicaOn(store, taken)];
    await one.handle({ type: 'OpenInvoice', data: terms });
    await one.advance();
    await other.handle(pay);
    expect(await one.advance()).toEqual(moved);
    expect(await typesIn(store)).toContain('InvoiceCompleted');
  });

  it('does not complete an invoice without a reply of the ledger', async () => {
    const store = new InMemoryEventStore();
    const { advance, handle } = replicaOn(store, () => Promise.reject(new NoReply('too slow')));
    await handle({ type: 'OpenInvoice', data: terms });
    await advance();
    await handle(pay);
    await expect(advance()).rejects.toThrow(NoReply);
    expect((await typesIn(store)).at(-1)).toBe('InvoicePaid');
    const healed = replicaOn(store, taken);
    expect(await healed.advance()).toEqual(moved);
  });

  it('sends the invoice to review when the ledger refuses', async () => {
    const store = new InMemoryEventStore();
    const refusal = { refused: 'account_limit_exceeded', message: 'Too much' };
    const { advance, handle } = replicaOn(store, async () => ({ ok: false, refusal }));
    await handle({ type: 'OpenInvoice', data: terms });
    await advance();
    await handle(pay);
    expect(await advance()).toEqual(moved);
    expect((await typesIn(store)).at(-1)).toBe('InvoiceSentToReview');
  });
});
