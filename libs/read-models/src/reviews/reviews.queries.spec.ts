import type { AddressCommand, InvoiceCommand } from '@florin/invoicing-domain';
import type { OperationCommand } from '@florin/operations-domain';
import { depositsProjection } from '../deposits/deposits.projection';
import * as address from '../deposits/testing/address-commands';
import { invoicesProjection } from '../invoices/invoices.projection';
import * as invoices from '../invoices/testing/invoice-commands';
import { operationsProjection } from '../operations/operations.projection';
import * as operations from '../operations/testing/operation-commands';
import { invoicingLog } from '../testing/invoicing-log';
import { operationsLog } from '../testing/operations-log';
import { acme, acmeLive, ida, idOf, type Owner } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { ReviewQueries } from './reviews.queries';

const operation = (number: number): string => idOf('operation', number);
const invoice = (number: number): string => idOf('invoice', number);
const deposit = (number: number): string => idOf('deposit', number);
const at = (second: number): string => `2030-01-01T09:00:0${second}.500Z`;

let database: ReadModelDatabase;
let queries: ReviewQueries;

async function writeOperations(...list: readonly OperationCommand[]): Promise<void> {
  const log = operationsLog();
  for (const command of list) {
    log.clock.advance(1_000);
    expect(await log.operation(command)).toMatchObject({ ok: true, repeated: false });
  }
  await database.project(operationsProjection, await log.events());
}

async function writeInvoices(...list: readonly InvoiceCommand[]): Promise<void> {
  const log = invoicingLog();
  for (const command of list) {
    log.clock.advance(1_000);
    expect(await log.invoice(command)).toMatchObject({ ok: true, repeated: false });
  }
  await database.project(invoicesProjection, await log.events());
}

async function writeDeposits(...list: readonly AddressCommand[]): Promise<void> {
  const log = invoicingLog();
  for (const command of list) {
    log.clock.advance(1_000);
    expect(await log.address(command)).toMatchObject({ ok: true, repeated: false });
  }
  await database.project(depositsProjection, await log.events());
}

const { abandon, complete, note, orderOf, queue, resolve, start } = operations;
const unknown = (number: number, owner: Owner, details: Parameters<typeof orderOf>[2]): readonly OperationCommand[] => [
  queue(orderOf(operation(number), owner, details)),
  start(operation(number)),
  abandon(operation(number)),
];
const late = (number: number, owner: Owner, createdAt: string): readonly InvoiceCommand[] => [
  invoices.open(number, owner, { createdAt }),
  invoices.issue(number, owner),
  invoices.pay(number, owner, number, true),
];
const service = { type: 'service', cardId: undefined, holderId: undefined, recipient: 'Ödön' } as const;

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new ReviewQueries(database.reads, upToDate);
  await writeOperations(
    queue(orderOf(operation(1), acme)),
    ...unknown(4, acme, { createdAt: at(2), ...service }),
    note(operation(4), 1, { outcome: 'accepted', receipt: 'R-4' }),
    note(operation(4), 2, { outcome: 'declined', code: 'x', message: 'y' }, '7.00'),
    ...unknown(7, ida, { createdAt: at(5) }),
    resolve(operation(7), 'failed'),
  );
  await writeInvoices(
    ...late(1, acme, at(3)),
    ...late(2, acmeLive, at(6)),
    invoices.resolve(2, acmeLive, 'completed'),
    ...[invoices.open(3, ida), invoices.issue(3, ida)],
  );
  await writeDeposits(
    address.arrive(1, '1.000000', { blockTime: at(1) }),
    address.claim(1),
    address.arrive(2, address.largest, { blockTime: at(4) }),
    ...[address.arrive(3, '3.000000', { blockTime: at(7) }), address.dismiss(3)],
  );
});
afterAll(() => database.close());

const ofOperation = {
  ...{ id: operation(4), kind: 'operation', ...acme, type: 'service', status: 'manual_review' },
  ...{ amount: '100.00', fee: '3.20', total: '103.20', productId: 'virtual-usd', recipient: 'Ödön' },
  reason: expect.stringContaining('No issuer response') as string,
  since: '2030-01-01T10:00:04.000Z',
  lateAnswers: [
    {
      ...{ noteId: idOf('note', 2), matches: false, notedAt: '2030-01-02T00:00:07.000Z' },
      answer: { outcome: 'declined', code: 'x', message: 'y' },
    },
    {
      ...{ noteId: idOf('note', 1), matches: true, notedAt: '2030-01-02T00:00:08.000Z' },
      answer: { outcome: 'accepted', receipt: 'R-4' },
    },
  ],
  createdAt: at(2),
};

const ofInvoice = {
  ...{ id: invoice(1), kind: 'invoice', ...acme, status: 'manual_review', depositId: deposit(1) },
  ...{ depositAmount: '100.00', fee: '1.50', creditAmount: '98.50', address: invoices.address },
  ...{ payAmount: '100.003127', asset: 'USDT', network: 'TRON', expiresAt: invoices.expiresAt, createdAt: at(3) },
  paymentUrl: invoices.paymentUrlOf(1),
  ...{ reason: expect.stringContaining('expired') as string, since: '2030-01-01T10:00:03.000Z' },
};

const ofDeposit = {
  ...{ id: deposit(2), kind: 'deposit', status: 'unmatched', reason: 'amount_unknown', address: address.address },
  ...{ transactionId: address.transaction(2), logIndex: 2, from: address.sender, amount: address.largest },
  ...{ blockNumber: 70_000_002, since: '2030-01-01T10:00:03.000Z', createdAt: at(4) },
};

describe('Reviews', () => {
  it('lists the open reviews of every kind and company, newest first', async () => {
    const views = await queries.list({});
    expect(views.map(({ id }) => id)).toEqual([invoice(2), operation(7), deposit(2), invoice(1), operation(4)]);
    const [decidedInvoice, decidedOperation, ...open] = views;
    expect(open).toStrictEqual([ofDeposit, ofInvoice, ofOperation]);
    expect(decidedInvoice).toMatchObject({
      ...acmeLive,
      resolution: {
        outcome: 'completed',
        note: expect.any(String),
        resolvedBy: { kind: 'service', id: 'test' },
      },
    });
    const resolution = { outcome: 'failed', note: 'The issuer said so', resolvedBy: { kind: 'service', id: 'test' } };
    expect(decidedOperation).toMatchObject({ ...ida, holderId: idOf('holder', 1), resolution });
  });

  it.each([1, 2, 3, 4, 5, 6])('returns pages of %i without gaps or repeats', async (limit) => {
    const all = (await queries.list({})).map(({ id }) => id);
    const paged = await readToEnd(
      (page) => queries.list(page),
      limit,
      ({ createdAt }) => createdAt,
    );
    expect(paged).toEqual(all);
  });

  it('sorts reviews of the same time by id across kinds', async () => {
    const alike = address.noon(300);
    const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000009', environment: 'live' } as const;
    await writeOperations(...unknown(20, owner, { createdAt: alike }));
    await writeInvoices(...late(20, owner, alike));
    await writeDeposits(
      address.claim(20, address.other),
      address.arrive(20, '1.000000', { blockTime: alike }, address.other),
    );
    const paged = await readToEnd(
      (page) => queries.list(page),
      1,
      ({ createdAt }) => createdAt,
    );
    expect(paged.slice(0, 3)).toEqual([deposit(20), invoice(20), operation(20)]);
    expect(paged).toEqual((await queries.list({})).map(({ id }) => id));
  });

  it.each([
    ['operation', operation(4), ofOperation],
    ['invoice', invoice(1), ofInvoice],
    ['deposit', deposit(2), ofDeposit],
  ])('finds the %s review by id', async (_kind, id, view) => {
    expect(await queries.find(id)).toStrictEqual(view);
  });

  it('finds resolved reviews', async () => {
    const id = operation(8);
    const ending = [resolve(id, 'completed'), complete(id)];
    await writeOperations(...unknown(8, acmeLive, { createdAt: at(6) }), ...ending);
    expect(await queries.find(id)).toMatchObject({ status: 'completed', resolution: { outcome: 'completed' } });
    expect(await queries.find(deposit(3))).toMatchObject({ status: 'resolved', resolution: { outcome: 'failed' } });
    const listed = (await queries.list({})).map((view) => view.id);
    expect(listed).not.toContain(id);
    expect(listed).not.toContain(deposit(3));
  });

  it('finds nothing that was never in review', async () => {
    for (const id of [operation(1), invoice(3), deposit(1), operation(99), 'invalid']) {
      expect(await queries.find(id)).toBeUndefined();
    }
  });
});

describe('While the read models are behind', () => {
  it('every query is rejected', async () => {
    const stale = new ReviewQueries(database.reads, behind);
    await allRejectedAsStale([stale.list({}), stale.find(operation(4))]);
  });
});
