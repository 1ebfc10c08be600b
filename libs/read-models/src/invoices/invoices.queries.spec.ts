import type { InvoiceCommand } from '@florin/invoicing-domain';
import { invoicingLog } from '../testing/invoicing-log';
import { acme, acmeLive, ida, idOf, type Owner } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { DueInvoicesQuery } from './due-invoices.query';
import { invoicesProjection } from './invoices.projection';
import { InvoiceQueries } from './invoices.queries';
import {
  abandon,
  address,
  cancel,
  complete,
  expire,
  issue,
  open,
  pay,
  paymentUrlOf,
  resolve,
  review,
  settlementOf,
} from './testing/invoice-commands';

const invoice = (number: number): string => idOf('invoice', number);
const at = (second: number): string => `2030-01-01T09:00:0${second}.500Z`;
const elsewhere = 'TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj';
const large = { depositAmount: '999999999999.00', fee: '15000000000.00', creditAmount: '984999999999.00' };

let database: ReadModelDatabase;
let queries: InvoiceQueries;

async function write(...list: readonly InvoiceCommand[]): Promise<void> {
  const log = invoicingLog();
  for (const command of list) {
    log.clock.advance(1_000);
    expect(await log.invoice(command)).toMatchObject({ ok: true, repeated: false });
  }
  await database.project(invoicesProjection, await log.events());
}

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new InvoiceQueries(database.reads, upToDate);
  await write(...history);
});
afterAll(() => database.close());

/** One of each status; each command runs a second after the previous one. */
const history: readonly InvoiceCommand[] = [
  ...[open(1, acme, { createdAt: at(1) }), issue(1, acme), pay(1, acme, 1), complete(1, acme)],
  ...[open(2, acme, { createdAt: at(2) }), issue(2, acme), expire(2, acme)],
  ...[open(3, acme, { createdAt: at(2) }), abandon(3, acme)],
  ...[open(4, acme, { createdAt: at(3) }), issue(4, acme), pay(4, acme, 2, true)],
  ...[open(5, acmeLive, { ...large, createdAt: at(4) }), issue(5, acmeLive, '999999999999.009999')],
  open(6, ida, { createdAt: at(5) }),
];

const completed = {
  ...{ id: invoice(1), environment: 'sandbox', status: 'completed' },
  ...{ depositAmount: '100.00', fee: '1.50', creditAmount: '98.50', address, payAmount: '100.003127' },
  ...{ asset: 'USDT', network: 'TRON', expiresAt: '2030-01-01T10:59:59.999Z', createdAt: at(1) },
  ...{ paymentUrl: paymentUrlOf(1), settlement: settlementOf(1) },
};

describe('Reading one invoice', () => {
  it('returns its current state', async () => {
    expect(await queries.find(acme, invoice(1))).toStrictEqual(completed);
    expect(await queries.find(acme, invoice(2))).toMatchObject({ status: 'expired', payAmount: '100.003127' });
    expect(await queries.find(acme, invoice(4))).toMatchObject({ status: 'manual_review' });
  });

  it('returns no pay address if there is none', async () => {
    const nowhere = { address: null, payAmount: null, expiresAt: null };
    expect(await queries.find(ida, invoice(6))).toMatchObject({ status: 'creating', ...nowhere });
    expect(await queries.find(acme, invoice(3))).toMatchObject({ status: 'failed', ...nowhere });
  });

  it('returns the exact maximum amount', async () => {
    const view = await queries.find(acmeLive, invoice(5));
    expect(view).toMatchObject({ ...large, environment: 'live', payAmount: '999999999999.009999' });
  });

  it('finds nothing of another company or environment, or under an invalid id', async () => {
    for (const owner of [acmeLive, ida]) expect(await queries.find(owner, invoice(1))).toBeUndefined();
    for (const id of ['', 'nobody', `${invoice(1)} `, invoice(99)]) {
      expect(await queries.find(acme, id)).toBeUndefined();
    }
  });
});

describe('Listing invoices', () => {
  const numbersOf = async (filter: Parameters<typeof queries.list>[1], owner: Owner = acme) => {
    const views = await queries.list(owner, filter, { limit: 50 });
    return views.map(({ id }) => Number(id.slice(-3)));
  };

  it('returns those of one company and environment, newest first', async () => {
    expect(await numbersOf({})).toEqual([4, 3, 2, 1]);
    expect(await numbersOf({}, acmeLive)).toEqual([5]);
    expect(await numbersOf({}, ida)).toEqual([6]);
    expect((await queries.list(acme, {}, {}))[3]).toStrictEqual(completed);
  });

  it('filters by status and by inclusive times to the millisecond', async () => {
    expect(await numbersOf({ status: 'expired' })).toEqual([2]);
    expect(await numbersOf({ status: 'pending' })).toEqual([]);
    expect(await numbersOf({ createdFrom: at(2) })).toEqual([4, 3, 2]);
    expect(await numbersOf({ createdFrom: '2030-01-01T09:00:02.501Z' })).toEqual([4]);
    expect(await numbersOf({ createdTo: at(2) })).toEqual([3, 2, 1]);
    expect(await numbersOf({ createdTo: '2030-01-01T09:00:02.499Z' })).toEqual([1]);
    expect(await numbersOf({ createdFrom: at(2), createdTo: at(2), status: 'failed' })).toEqual([3]);
  });

  it.each([1, 2, 3, 4])('returns pages of %i while items are added', async (limit) => {
    const owner = { companyId: `c0ffee00-0000-4000-8000-0000000003${limit}0`, environment: 'sandbox' } as const;
    const failed = (number: number, second: number) => [
      open(number, owner, { createdAt: at(second) }),
      abandon(number, owner),
    ];
    // One log, because all invoices of an account are in one stream.
    const log = invoicingLog();
    let projected = 0;
    const add = async (list: readonly InvoiceCommand[]): Promise<void> => {
      for (const command of list) expect(await log.invoice(command)).toMatchObject({ ok: true, repeated: false });
      const events = await log.events();
      await database.project(invoicesProjection, events.slice(projected));
      projected = events.length;
    };
    await add(Array.from({ length: 7 }, (_, index) => failed(limit * 100 + index, index % 3)).flat());
    const all = (await queries.list(owner, {}, {})).map(({ id }) => id);
    let added = limit * 100 + 50;
    const ids = await readToEnd(
      (page) => queries.list(owner, {}, page),
      limit,
      ({ createdAt }) => createdAt,
      () => add(failed(++added, 1)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => all.includes(id))).toEqual(all);
  });
});

describe('The owner of an invoice', () => {
  it('is found by invoice id', async () => {
    const { companyId } = acme;
    const owner = { invoiceId: invoice(5), companyId, environment: 'live', accountId: `${companyId}-live` };
    expect(await queries.findAnywhere(invoice(5))).toStrictEqual({
      ...{ ...owner, status: 'pending', depositAmount: '999999999999.00', address },
    });
    expect(await queries.findAnywhere(invoice(6))).not.toHaveProperty('address');
    expect(await queries.findAnywhere(invoice(99))).toBeUndefined();
    expect(await queries.findAnywhere('nobody')).toBeUndefined();
  });
});

describe('Invoices at unwatched addresses', () => {
  const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000040', environment: 'live' } as const;
  const expiry = (second: number) => ({ expiresAt: `2030-01-01T11:00:0${second}.000Z` });

  it('are live, and pending or recently expired', async () => {
    const unwatched = (addresses: readonly string[], now: string) =>
      new DueInvoicesQuery(database.pool).awaitingElsewhere(addresses, new Date(now));
    const late = '2030-01-08T11:00:05.000Z';
    expect(await unwatched([], late)).toEqual([{ address, invoices: 1 }]);
    expect(await unwatched([address], late)).toEqual([]);
    await write(
      ...[open(41, owner, expiry(5)), issue(41, owner, '1.000001'), expire(41, owner)],
      ...[open(42, owner, expiry(6)), issue(42, owner, '1.000002'), expire(42, owner)],
      ...[open(43, owner, expiry(7)), issue(43, owner, '1.000003', elsewhere)],
    );
    expect(await unwatched([], late)).toEqual([
      { address, invoices: 2 },
      { address: elsewhere, invoices: 1 },
    ]);
    expect(await unwatched([address], '2031-01-01T00:00:00.000Z')).toEqual([{ address: elsewhere, invoices: 1 }]);
  });
});

describe('Due invoices', () => {
  const owners = [1, 2, 3, 4, 5, 6, 7].map((number): Owner => {
    return { companyId: `c0ffee00-0000-4000-8000-00000000005${number}`, environment: 'sandbox' };
  });
  const [first, second, third, fourth, fifth, sixth, seventh] = owners as Owner[] &
    Record<0 | 1 | 2 | 3 | 4 | 5 | 6, Owner>;
  const until = (minute: number) => ({ expiresAt: `2030-01-01T10:${minute}:00.000Z` });
  const due = () => new DueInvoicesQuery(database.pool);

  beforeAll(async () => {
    await database.empty('invoices');
    await write(
      ...[open(51, first, until(30)), issue(51, first, '1.000001', 'T1')],
      ...[open(52, second, until(20)), issue(52, second, '1.000001', 'T2')],
      ...[open(53, third, until(10)), issue(53, third), pay(53, third, 53)],
      ...[open(54, { ...fourth, environment: 'live' }, until(10)), issue(54, { ...fourth, environment: 'live' })],
      ...[open(55, fifth), issue(55, fifth), pay(55, fifth, 55, true), resolve(55, fifth, 'completed')],
      ...[open(56, sixth), issue(56, sixth), pay(56, sixth, 56), review(56, sixth)],
      open(57, fourth),
      ...[open(58, seventh), issue(58, seventh, '1.000001', 'T8'), cancel(58, seventh, '2030-01-01T10:25:00.000Z')],
    );
  });

  it('lists sandbox invoices that are pending, unpaid and expired or canceled, longest-waiting first', async () => {
    const expired = (time: string, limit = 10) => due().expiredBefore(new Date(time), limit);
    expect(await expired('2030-01-01T10:19:59.999Z')).toEqual([]);
    expect(await expired('2030-01-01T10:20:00.000Z')).toEqual(['T2']);
    expect(await expired('2030-01-01T12:00:00.000Z')).toEqual(['T2', 'T8', 'T1']);
    expect(await expired('2030-01-01T12:00:00.000Z', 1)).toEqual(['T2']);
  });

  it('lists stalled invoices that are creating, paid or resolved, longest-waiting first', async () => {
    const numbers = async (time: string, limit = 10) => {
      const found = await due().unchangedSince(new Date(time), limit);
      return found.map(({ invoiceId }) => Number(invoiceId.slice(-2)));
    };
    // Paid at 7, resolved at 13, opened at 18. Omits those that wait for an operator or a payment.
    expect(await numbers('2030-01-01T12:00:00.000Z')).toEqual([53, 55, 57]);
    expect(await numbers('2030-01-01T12:00:00.000Z', 1)).toEqual([53]);
    expect(await numbers('2030-01-01T10:00:07.000Z')).toEqual([]);
    expect(await numbers('2030-01-01T10:00:13.001Z')).toEqual([53, 55]);
    const [paid] = await due().unchangedSince(new Date('2030-01-01T12:00:00.000Z'), 1);
    expect(paid).toEqual({ accountId: `${third.companyId}-sandbox`, invoiceId: invoice(53) });
  });
});

describe('While the read model is behind', () => {
  it('every query is rejected', async () => {
    const stale = new InvoiceQueries(database.reads, behind);
    const pending = [stale.find(acme, invoice(1)), stale.list(acme, {}, {}), stale.findAnywhere(invoice(1))];
    await allRejectedAsStale(pending);
  });
});
