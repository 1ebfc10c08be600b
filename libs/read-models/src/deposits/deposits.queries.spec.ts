import type { AddressCommand, PayAmountClaimed } from '@florin/invoicing-domain';
import { invoicesProjection } from '../invoices/invoices.projection';
import { open } from '../invoices/testing/invoice-commands';
import { invoicingLog } from '../testing/invoicing-log';
import { acmeLive, idOf } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { depositsProjection } from './deposits.projection';
import { DepositQueries } from './deposits.queries';
import * as commands from './testing/address-commands';

const { address, arrive, attribute, claim, dismiss, largest, noon, sender, transaction } = commands;
const deposit = (number: number): string => idOf('deposit', number);

let database: ReadModelDatabase;
let queries: DepositQueries;
let payAmount: string;

const log = invoicingLog();
let projected = 0;

async function write(...list: readonly AddressCommand[]): Promise<void> {
  for (const command of list) expect(await log.address(command)).toMatchObject({ ok: true, repeated: false });
  const events = await log.events();
  await database.project(
    depositsProjection,
    events.slice(projected).filter(({ stream }) => stream.startsWith('address-')),
  );
  projected = events.length;
}

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new DepositQueries(database.reads, upToDate);
  await log.invoice(open(1, acmeLive));
  await database.project(invoicesProjection, await log.events());
  projected = 1;
  await write(claim(1));
  ({ payAmount } = JSON.parse((await log.events())[1]!.data) as PayAmountClaimed['data']);
  await write(
    ...[arrive(1, payAmount), arrive(2, '0.000001'), arrive(3, largest, { blockTime: noon(2) })],
    ...[arrive(4, '4.000000'), attribute(4, 1), arrive(5, '5.000000'), dismiss(5)],
  );
});
afterAll(() => database.close());

const unowned = {
  ...{ id: deposit(2), status: 'unmatched', reason: 'amount_unknown', forReview: true, address, amount: '0.000001' },
  ...{ transactionId: transaction(2), logIndex: 2, from: sender, blockNumber: 70_000_002, blockTime: noon(2) },
};

describe('Reading a deposit', () => {
  it('returns it with the owner of its invoice', async () => {
    const owner = { invoiceId: idOf('invoice', 1), ...acmeLive };
    expect(await queries.find(deposit(1))).toMatchObject({
      status: 'matched',
      late: false,
      amount: payAmount,
      ...owner,
    });
    expect(await queries.find(deposit(2))).toStrictEqual(unowned);
    expect(await queries.find(deposit(4))).toMatchObject({ status: 'resolved', ...owner });
    expect((await queries.find(deposit(5)))?.resolution).toStrictEqual({
      ...{ outcome: 'failed', note: 'Sent back "to\uFFFD" {them}', resolvedAt: '2030-01-02T00:00:00.000Z' },
      resolvedBy: { kind: 'service', id: 'test' },
    });
  });

  it('returns the exact maximum amount', async () => {
    expect((await queries.find(deposit(3)))?.amount).toBe(largest);
  });

  it('finds nothing under an invalid id', async () => {
    for (const id of ['', 'invalid', deposit(99)]) expect(await queries.find(id)).toBeUndefined();
  });
});

describe('Listing deposits', () => {
  const numbersOf = async (filter: Parameters<typeof queries.list>[0]) => {
    const views = await queries.list(filter, { limit: 50 });
    return views.map(({ id }) => Number(id.slice(-2)));
  };

  it('returns the newest first, and filters by status', async () => {
    expect(await numbersOf({})).toEqual([5, 4, 3, 2, 1]);
    expect(await numbersOf({ status: 'matched' })).toEqual([1]);
    expect(await numbersOf({ status: 'unmatched' })).toEqual([3, 2]);
    expect(await numbersOf({ status: 'resolved' })).toEqual([5, 4]);
    expect((await queries.list({}, {}))[3]).toStrictEqual(unowned);
  });

  it.each([1, 2, 3])('returns pages of %i while items are added', async (limit) => {
    const all = (await queries.list({}, {})).map(({ id }) => id);
    let added = limit * 100;
    const ids = await readToEnd(
      (page) => queries.list({}, page),
      limit,
      ({ blockTime }) => blockTime,
      () => write(arrive(++added, '1.000000', { blockTime: noon((added % 2) * 1_000) })),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => all.includes(id))).toEqual(all);
  });
});

describe('While the read model is behind', () => {
  it('every query is rejected', async () => {
    const stale = new DepositQueries(database.reads, behind);
    await allRejectedAsStale([stale.find(deposit(1)), stale.list({}, {})]);
  });
});
