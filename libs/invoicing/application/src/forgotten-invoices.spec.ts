import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import {
  evolveRemembering,
  invoiceAggregate,
  type InvoiceCommand,
  type InvoiceTerms,
  type RecordPayment,
} from '@florin/invoicing-domain';
import { randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { InvoiceHandler } from './aggregates';

const accountId = 'acme-live';
const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };
const payment = { address: 'TReasury1', payAmount: '100.003127' } as const;

const termsOf = (invoiceId: string, fingerprint = 'f'): InvoiceTerms => ({
  ...{ invoiceId, companyId: 'acme', environment: 'live', accountId },
  ...{ depositAmount: '100.00', fee: '1.50', creditAmount: '98.50', fingerprint },
  ...{ createdAt: '2030-01-01T12:00:00.000Z', expiresAt: '2030-01-01T13:00:00.000Z' },
});

const late: RecordPayment = {
  type: 'RecordPayment',
  data: { accountId, invoiceId: 'i1', address: payment.address, depositId: 'd1', late: true },
};

/** An account whose state remembers one ended invoice. */
function newAccount() {
  const store = new InMemoryEventStore();
  const clock = manualClock('2030-01-01T12:00:00.000Z');
  const aggregate = { ...invoiceAggregate, evolve: evolveRemembering(1) };
  const snapshots = new InMemorySnapshotStore();
  const replica = () => new InvoiceHandler(aggregate, { store, snapshots, clock });
  const invoices = replica();
  const handle = (command: InvoiceCommand, by = invoices) => by.handle(accountId, command, { id: randomId(), headers });
  const expire = async (invoiceId: string): Promise<void> => {
    await handle({ type: 'OpenInvoice', data: termsOf(invoiceId) });
    await handle({ type: 'IssueInvoice', data: { accountId, invoiceId, ...payment } });
    await handle({ type: 'ExpireInvoice', data: { accountId, invoiceId, address: payment.address } });
  };
  return { store, replica, invoices, handle, expire };
}

async function forgottenInvoice() {
  const account = newAccount();
  for (const invoiceId of ['i1', 'i2', 'i3']) await account.expire(invoiceId);
  const forgotten = await account.invoices.read(accountId, 0, (state) => [...state.forgotten.keys()]);
  expect(forgotten).toEqual(['i1', 'i2']);
  return account;
}

describe('An invoice that the state has forgotten', () => {
  it('returns the original reply to a repeated request', async () => {
    const { handle } = await forgottenInvoice();
    const reply = await handle({ type: 'OpenInvoice', data: termsOf('i1') });
    expect(reply).toMatchObject({ ok: true, repeated: true, answer: { id: 'i1', status: 'pending', ...payment } });
  });

  it('rejects a different request with the same key', async () => {
    const { handle } = await forgottenInvoice();
    const reply = await handle({ type: 'OpenInvoice', data: termsOf('i1', 'different') });
    expect(reply).toMatchObject({ ok: false, refusal: { refused: 'idempotency_conflict' } });
  });

  it('stores nothing for repeated requests', async () => {
    const { handle, store } = await forgottenInvoice();
    const head = await store.head();
    const repeats = Array.from({ length: 5 }, () => handle({ type: 'OpenInvoice', data: termsOf('i1') }));
    for (const reply of await Promise.all(repeats)) expect(reply).toMatchObject({ ok: true, repeated: true });
    expect(await store.head()).toBe(head);
  });

  it('goes to review once when it is paid late, on any replica', async () => {
    const { handle, replica, invoices, store } = await forgottenInvoice();
    const [one, other] = [replica(), replica()];
    await other.read(accountId, 0, () => undefined);
    const paidLate = [invoices, invoices, one, other].map((by) => handle(late, by));
    const replies = await Promise.all(paidLate);
    for (const reply of replies) expect(reply).toMatchObject({ ok: true, answer: { status: 'manual_review' } });
    expect(replies.filter((reply) => reply.ok && !reply.repeated)).toHaveLength(1);
    const head = await store.head();
    expect(await handle(late, other)).toMatchObject({ ok: true, repeated: true });
    expect(await store.head()).toBe(head);
  });

  it('can be read', async () => {
    const { invoices } = await forgottenInvoice();
    const phases = ['i1', 'i3', 'i9'].map((id) => invoices.readInvoice(accountId, id, (invoice) => invoice?.phase));
    expect(await Promise.all(phases)).toEqual(['expired', 'expired', undefined]);
  });

  it('is unknown if it never existed', async () => {
    const { handle } = await forgottenInvoice();
    const reply = await handle({ type: 'CompleteInvoice', data: { accountId, invoiceId: 'i9' } });
    expect(reply).toMatchObject({ ok: false, refusal: { refused: 'not_found' } });
  });
});
