import type { RecordedEvent } from '@florin/event-sourcing';
import type { AddressCommand, AddressEvent, PayAmountClaimed } from '@florin/invoicing-domain';
import { formatUsdt } from '@florin/kernel';
import fc from 'fast-check';
import { type Batches, cutInto, cuts } from '../testing/batches';
import { eventTypesIn } from '../testing/event-types';
import { type InvoicingLog, invoicingLog } from '../testing/invoicing-log';
import { idOf } from '../testing/owners';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { depositsProjection } from './deposits.projection';
import * as commands from './testing/address-commands';

const { address, arrive, attribute, claim, close, dismiss, giveBack, largest, noon, other, sender, transaction } =
  commands;

let database: ReadModelDatabase;
let log: InvoicingLog;
let projected: number;

beforeAll(async () => {
  database = await readModelDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.empty('deposits');
  log = invoicingLog();
  projected = 0;
});

/** Runs a command a second after the one before it, projects its events, and returns the deposit. */
async function after(command: AddressCommand, number: number): Promise<Record<string, unknown> | undefined> {
  log.clock.advance(1_000);
  expect(await log.address(command)).toMatchObject({ ok: true, repeated: false });
  const events = await log.events();
  await database.project(depositsProjection, events.slice(projected));
  projected = events.length;
  return (await database.rows('deposits')).find(({ id }) => id === idOf('deposit', number));
}

/** The pay amount of an invoice at an address. */
async function amountOf(invoice: number, { events }: InvoicingLog = log, at = address): Promise<string> {
  const claims = (await events()).filter(({ type }) => type === 'PayAmountClaimed');
  const found = claims
    .map(({ data }) => JSON.parse(data) as PayAmountClaimed['data'])
    .find((claimed) => claimed.invoiceId === idOf('invoice', invoice) && claimed.address === at);
  return found?.payAmount ?? '1.000000';
}

const second = (number: number): Date => new Date(`2030-01-01T10:00:0${number}.000Z`);

describe('The deposits projection', () => {
  it('shows a deposit that pays an invoice, and its return when the invoice is closed', async () => {
    expect(await after(claim(1), 1)).toBeUndefined();
    const amount = await amountOf(1);
    const matched = {
      ...{ id: idOf('deposit', 1), address, transaction_id: transaction(1), log_index: 1, sender },
      ...{ amount: amount.replace('.', ''), block_number: '70000001', block_time: new Date(noon(1)) },
      ...{ status: 'matched', late: false, reason: null, invoice_id: idOf('invoice', 1), for_review: false },
      ...{ judged_at: second(2), resolution: null, revision: 1 },
    };
    expect(await after(arrive(1, amount), 1)).toEqual(matched);
    expect(await after(giveBack(1, 1), 1)).toEqual({
      ...matched,
      ...{ status: 'unmatched', late: null, reason: 'invoice_closed', for_review: true },
      ...{ judged_at: second(3), revision: 2 },
    });
  });

  it('shows a late deposit and a second one', async () => {
    await after(claim(1), 1);
    const amount = await amountOf(1);
    const late = await after(arrive(1, amount, { blockTime: noon(60) }), 1);
    expect(late).toMatchObject({ status: 'matched', late: true, for_review: false });
    const twice = { status: 'unmatched', reason: 'paid_already', invoice_id: idOf('invoice', 1), for_review: true };
    expect(await after(arrive(2, amount, { blockTime: noon(61) }), 2)).toMatchObject(twice);
  });

  it("shows an unmatched deposit of the maximum amount, and the operator's decision", async () => {
    const unclaimed = await after(arrive(1, '5.000000'), 1);
    expect(unclaimed).toMatchObject({
      status: 'unmatched',
      reason: 'amount_unknown',
      for_review: false,
      invoice_id: null,
    });
    await after(claim(1), 1);
    const unmatched = await after(arrive(2, largest), 2);
    expect(unmatched).toMatchObject({ amount: (2n ** 256n - 1n).toString(), for_review: true, judged_at: second(3) });
    const note = 'Sent back "to\uFFFD" {them}';
    expect(await after(dismiss(2), 2)).toEqual({
      ...unmatched,
      ...{ status: 'resolved', revision: 3 },
      resolution: {
        outcome: 'failed',
        note,
        resolvedAt: '2030-01-02T00:00:00.000Z',
        resolvedBy: { kind: 'service', id: 'test' },
      },
    });
  });

  it('shows a deposit that is attributed to an invoice, and reopened if the invoice has ended', async () => {
    await after(claim(1), 1);
    await after(arrive(1, '1.000000'), 1);
    const invoiceId = idOf('invoice', 9);
    const attributed = await after(attribute(1, 9), 1);
    expect(attributed).toMatchObject({ status: 'resolved', invoice_id: invoiceId, resolution: { invoiceId } });
    const again = await after(giveBack(1, 9, address, 'attribute'), 1);
    expect(again).toMatchObject({
      status: 'unmatched',
      reason: 'invoice_closed',
      invoice_id: invoiceId,
      resolution: null,
    });
  });

  it('throws on a decision about an unknown deposit', async () => {
    for (const command of [claim(1), arrive(1, '1.000000'), dismiss(1)]) await log.address(command);
    const [, , resolved] = await log.events();
    await expect(database.project(depositsProjection, [resolved!])).rejects.toThrow(
      `Events change ${idOf('deposit', 1)} in read_models.deposits, but no earlier event created it`,
    );
  });
});

describe('For any history of addresses', () => {
  async function rebuilt(...batches: Batches) {
    await database.empty('deposits');
    await database.project(depositsProjection, ...batches);
    return database.rows('deposits');
  }

  async function commandOf({ place, kind, number, invoice, amount }: commands.Step, of: InvoicingLog) {
    // An invoice has one address, and so has a deposit.
    const [own, its] = place === address ? [invoice, number] : [invoice + 10, number + 20];
    switch (kind) {
      case 'claim':
        return claim(own, place);
      case 'pay':
        return arrive(its, await amountOf(own, of, place), {}, place);
      case 'arrive':
        return arrive(its, amount, {}, place);
      case 'close':
        return close(noon(60), place);
      case 'dismiss':
        return dismiss(its, place);
      case 'attribute':
        return attribute(its, own, place);
      case 'giveBack':
        return giveBack(its, own, place, number % 2 === 0 ? 'attribute' : undefined);
    }
  }

  async function historyOf(list: readonly commands.Step[]): Promise<readonly RecordedEvent[]> {
    const randomLog = invoicingLog();
    for (const step of list) {
      randomLog.clock.advance(1_001);
      await randomLog.address(await commandOf(step, randomLog));
    }
    return randomLog.events();
  }

  it('the rows are the same in one batch, one by one, and with redelivered events', async () => {
    const property = fc.asyncProperty(commands.steps, cuts, async (list, at) => {
      const events = await historyOf(list);
      const atOnce = await rebuilt(events);

      expect(atOnce.map(({ id, status, amount }) => [id, status, amount])).toEqual(expectedOf(events));
      expect(await rebuilt(...events.map((event) => [event]))).toEqual(atOnce);
      expect(await rebuilt(...cutInto(events, at))).toEqual(atOnce);

      for (const old of cutInto(events, at)) {
        expect(await rebuilt([...events, ...old])).toEqual(atOnce);
        await database.project(depositsProjection, old);
        expect(await database.rows('deposits')).toEqual(atOnce);
      }
    });
    await fc.assert(property, { numRuns: 30 });
  }, 60_000);

  it('the histories contain every event', async () => {
    const deposits = ['DepositMatched', 'DepositResolved', 'DepositUnmatched'];
    const types = await eventTypesIn(commands.steps, historyOf);
    expect(types).toEqual(expect.arrayContaining([...deposits, 'ClaimLost', 'PayAmountClaimed']));
  });

  it('stores every amount of the contract exactly', async () => {
    const amounts = fc.array(fc.bigInt(1n, 2n ** 256n - 1n), { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(amounts, async (list) => {
      const randomLog = invoicingLog();
      for (const [index, amount] of list.entries())
        await randomLog.address(arrive(index, formatUsdt(amount), {}, other));
      const rows = await rebuilt(await randomLog.events());
      expect(rows.map(({ amount }) => amount)).toEqual(list.map(String));
    });
    await fc.assert(property, { numRuns: 20 });
  });
});

/** The newest event data of every deposit, sorted by id. */
function expectedOf(events: readonly RecordedEvent[]) {
  const deposits = new Map<string, [status: string, amount: string]>();
  for (const { type, data } of events) {
    const event = { type, data: JSON.parse(data) as unknown } as AddressEvent;
    if (event.type === 'DepositMatched' || event.type === 'DepositUnmatched') {
      const status = event.type === 'DepositMatched' ? 'matched' : 'unmatched';
      const { depositId, amount } = event.data.deposit;
      deposits.set(depositId, [status, BigInt(amount.replace('.', '')).toString()]);
    }
    if (event.type === 'DepositResolved') deposits.get(event.data.depositId)![0] = 'resolved';
  }
  return [...deposits].map(([id, newest]) => [id, ...newest]).sort();
}
