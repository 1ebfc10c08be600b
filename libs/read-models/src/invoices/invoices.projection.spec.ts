import type { RecordedEvent } from '@florin/event-sourcing';
import {
  currentAnswer,
  type InvoiceCommand,
  invoiceAggregate,
  type InvoiceEvent,
  type InvoicesState,
  type InvoiceTerms,
} from '@florin/invoicing-domain';
import fc from 'fast-check';
import { type Batches, type Cuts, cutInto, cuts } from '../testing/batches';
import { eventTypesIn } from '../testing/event-types';
import { type InvoicingLog, invoicingLog } from '../testing/invoicing-log';
import { acme, ida, idOf } from '../testing/owners';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { invoicesProjection } from './invoices.projection';
import { invoiceView } from './invoices.queries';
import * as commands from './testing/invoice-commands';

const { abandon, address, attribute, complete, expire, issue, open, pay, resolve, review } = commands;
const id = idOf('invoice', 1);

let database: ReadModelDatabase;
let log: InvoicingLog;
let projected: number;

beforeAll(async () => {
  database = await readModelDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.empty('invoices');
  log = invoicingLog();
  projected = 0;
});

/** Runs a command a second after the one before it, projects its events, and returns the row. */
async function after(command: InvoiceCommand): Promise<Record<string, unknown> | undefined> {
  log.clock.advance(1_000);
  expect(await log.invoice(command)).toMatchObject({ ok: true, repeated: false });
  const events = await log.events();
  await database.project(invoicesProjection, events.slice(projected));
  projected = events.length;
  const rows = await database.rows('invoices');
  return rows.find((row) => row.id === command.data.invoiceId);
}

const second = (number: number): Date => new Date(`2030-01-01T10:00:0${number}.000Z`);

describe('The invoices projection', () => {
  it('follows an invoice from opening to credit', async () => {
    const opened = {
      ...{ id, company_id: acme.companyId, environment: 'sandbox' },
      ...{ deposit_amount: '10000', fee: '150', credit_amount: '9850' },
      ...{ created_at: new Date(commands.createdAt), expires_at: new Date(commands.expiresAt) },
      ...{ address: null, pay_amount: null, paid: false, deposit_id: null, review: null, settlement: null },
      ...{ payment_url: commands.paymentUrlOf(1), payment_token: 'token-1', metadata: { order: '7' } },
      ...{ status: 'creating', open: true, updated_at: second(1), revision: 0 },
    };
    expect(await after(open(1, acme, { metadata: { order: '7' } }))).toEqual(opened);
    const pending = {
      ...{ ...opened, status: 'pending', address, pay_amount: '100003127' },
      ...{ updated_at: second(2), revision: 1 },
    };
    expect(await after(issue(1, acme))).toEqual(pending);
    const paid = { ...pending, paid: true, deposit_id: idOf('deposit', 1), updated_at: second(3), revision: 2 };
    expect(await after(pay(1, acme, 1))).toEqual(paid);
    const settled = { status: 'completed', open: false, settlement: commands.settlementOf(1) };
    const completed = { ...paid, ...settled, updated_at: second(4), revision: 3 };
    expect(await after(complete(1, acme))).toEqual(completed);
    const leftOver = await after(pay(1, acme, 2));
    expect(leftOver).toEqual({ ...completed, updated_at: second(5), revision: 4 });
  });

  it('follows an invoice that is canceled', async () => {
    await after(open(1, acme));
    await after(issue(1, acme));
    const canceled = { status: 'pending', expires_at: new Date('2030-01-01T10:30:00.000Z'), open: true };
    expect(await after(commands.cancel(1, acme))).toMatchObject(canceled);
    expect(await after(expire(1, acme))).toMatchObject({ ...canceled, status: 'expired', open: false });
  });

  it('follows an invoice without an address, and one that is not paid', async () => {
    await after(open(1, acme));
    expect(await after(abandon(1, acme))).toMatchObject({ status: 'failed', open: false, address: null });
    await after(open(2, acme));
    await after(issue(2, acme));
    expect(await after(expire(2, acme))).toMatchObject({ status: 'expired', open: false, paid: false });
  });

  it('follows an invoice that is paid late and whose credit the ledger first refuses', async () => {
    await after(open(1, acme));
    await after(issue(1, acme));
    await after(expire(1, acme));
    const late = { reason: 'Paid after it had expired', since: second(4).toISOString(), resolution: null };
    const inReview = { status: 'manual_review', open: true, deposit_id: idOf('deposit', 1), paid: false };
    expect(await after(pay(1, acme, 1, true))).toMatchObject({ ...inReview, review: late });
    const resolution = { outcome: 'completed', note: 'Ödön\uFFFD said "so"' };
    const resolved = await after(resolve(1, acme, 'completed'));
    expect(resolved).toMatchObject({ ...inReview, review: { ...late, resolution } });
    const refused = { reason: 'The ledger would not take it', since: second(6).toISOString(), resolution: null };
    expect(await after(review(1, acme, 1))).toMatchObject({ ...inReview, review: refused });
    const failed = await after(resolve(1, acme, 'failed'));
    expect(failed).toMatchObject({ status: 'failed', open: false, review: { resolution: { outcome: 'failed' } } });
  });

  it('follows an invoice for which an operator finds a deposit', async () => {
    await after(open(1, acme));
    await after(issue(1, acme));
    expect(await after(attribute(1, acme, 7))).toMatchObject({
      ...{ status: 'manual_review', deposit_id: idOf('deposit', 7), revision: 3 },
      review: { reason: expect.stringContaining('They wrote to us') as string, resolution: { outcome: 'completed' } },
    });
  });

  it('distinguishes the invoices of one account, and those of earlier batches from new ones', async () => {
    await after(open(1, acme));
    await after(issue(1, acme));
    for (const command of [expire(1, acme), open(2, acme), issue(2, acme, '7.000001'), open(3, ida)]) {
      await log.invoice(command);
    }
    await database.project(invoicesProjection, (await log.events()).slice(projected));
    expect(await database.rows('invoices')).toMatchObject([
      { id, status: 'expired', pay_amount: '100003127', revision: 2 },
      { id: idOf('invoice', 2), status: 'pending', pay_amount: '7000001', revision: 4 },
      { id: idOf('invoice', 3), company_id: ida.companyId, status: 'creating', revision: 0 },
    ]);
  });

  it('throws on an event of an unknown row', async () => {
    await log.invoice(open(1, acme));
    await log.invoice(issue(1, acme));
    const [, issued] = await log.events();
    await expect(database.project(invoicesProjection, [issued!])).rejects.toThrow(
      `Events change ${id} in read_models.invoices, but no earlier event created it`,
    );
    expect(await database.rows('invoices')).toEqual([]);
  });
});

describe('For any history of invoices', () => {
  async function rebuilt(...batches: Batches) {
    await database.empty('invoices');
    await database.project(invoicesProjection, ...batches);
    return database.rows('invoices');
  }

  const projected = async () => {
    const rows = await database.prisma.invoice.findMany({ orderBy: { id: 'asc' } });
    return rows.map(invoiceView);
  };

  async function historyOf(list: readonly InvoiceCommand[]): Promise<readonly RecordedEvent[]> {
    const { invoice, events, clock } = invoicingLog();
    for (const command of list) {
      clock.advance(1_001);
      await invoice(command);
    }
    return events();
  }

  it("the rows match the decider's state in one batch, one by one, and with redelivered events", async () => {
    const property = fc.asyncProperty(commands.invoiceCommands, cuts, async (list, at: Cuts) => {
      const events = await historyOf(list);
      const atOnce = await rebuilt(events);

      expect(await projected()).toEqual(answersOf(events));
      expect(await rebuilt(...events.map((event) => [event]))).toEqual(atOnce);
      expect(await rebuilt(...cutInto(events, at))).toEqual(atOnce);

      for (const old of cutInto(events, at)) {
        expect(await rebuilt([...events, ...old])).toEqual(atOnce);
        await database.project(invoicesProjection, old);
        expect(await database.rows('invoices')).toEqual(atOnce);
      }
    });
    await fc.assert(property, { numRuns: 30 });
  }, 60_000);

  it('the histories contain every event', async () => {
    const ends = ['InvoiceCanceled', 'InvoiceCompleted', 'InvoiceExpired', 'InvoiceFailed'];
    const others = ['InvoiceIssued', 'InvoiceOpened', 'InvoicePaid', 'InvoiceResolved', 'InvoiceSentToReview'];
    const types = await eventTypesIn(commands.invoiceCommands, historyOf);
    expect(types).toEqual(expect.arrayContaining([...ends, ...others, 'PaymentLeftOver']));
  });
});

/** The state does not keep it. */
function metadataOf(events: readonly RecordedEvent[], invoiceId: string): Pick<InvoiceTerms, 'metadata'> {
  const opened = events.find(({ type, data }) => type === 'InvoiceOpened' && data.includes(invoiceId))!;
  const { metadata } = JSON.parse(opened.data) as InvoiceTerms;
  return metadata === undefined ? {} : { metadata };
}

/** Every invoice from the decider's state, sorted by id, exact to the millionth. */
function answersOf(events: readonly RecordedEvent[]) {
  const states = new Map<string, InvoicesState>();
  for (const { type, data, stream } of events) {
    const event = { type, data: JSON.parse(data) as unknown } as InvoiceEvent;
    states.set(stream, invoiceAggregate.evolve(states.get(stream) ?? invoiceAggregate.initialState(), event));
  }
  const all = [...states.values()].flatMap((state) =>
    [...state.invoices.keys()].map((id) => ({ ...currentAnswer(state, id), ...metadataOf(events, id) })),
  );
  return all.sort((one, other) => (one.id < other.id ? -1 : 1));
}
