import type { RecordedEvent } from '@florin/event-sourcing';
import {
  availableOn,
  clearedBy,
  type CardCommand,
  cardAggregate,
  type CardEvent,
  type CardState,
} from '@florin/operations-domain';
import fc from 'fast-check';
import { type Batches, cutInto, cuts } from '../testing/batches';
import { eventTypesIn } from '../testing/event-types';
import { type OperationsLog, operationsLog } from '../testing/operations-log';
import { acme, acmeLive, idOf } from '../testing/owners';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { cardsProjection } from './cards.projection';
import { asFirstRelease } from './testing/first-release';
import {
  cardCommands,
  changeStatus,
  createdAt,
  firstReleaseCommands,
  issue,
  occurredAt,
  report,
  topUp,
  unload,
} from './testing/card-commands';

let database: ReadModelDatabase;
let log: OperationsLog;
let projected: number;

beforeAll(async () => {
  database = await readModelDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.empty('cards', 'transactions');
  log = operationsLog();
  projected = 0;
});

const everything = async () => ({
  cards: await database.rows('cards'),
  transactions: await database.rows('transactions'),
});

/** Runs a command, projects its events, and returns the card and the payments. */
async function after(command: CardCommand) {
  expect(await log.card(command)).toMatchObject({ ok: true, repeated: false });
  const events = await log.events();
  await database.project(cardsProjection, events.slice(projected));
  projected = events.length;
  const { cards, transactions } = await everything();
  return { card: cards[0], transactions };
}

describe('The cards projection', () => {
  it('follows a card from issue to closing', async () => {
    const issued = {
      ...{ id: idOf('card', 1), company_id: acme.companyId, environment: 'sandbox', holder_id: idOf('holder', 1) },
      ...{ product_id: 'virtual-usd', name: 'Travel', last4: '4242', card_reference: 'crd_1' },
      ...{ created_at: new Date(createdAt), status: 'active', balance: '10000', available: '10000' },
      ...{ limits: {}, metadata: {} },
      ...{ updated_at: new Date(createdAt), revision: 0 },
    };
    const first = await after(issue(1, acme, { cardReference: 'crd_1' }));
    expect(first).toEqual({ card: issued, transactions: [] });
    const toppedUp = { ...issued, balance: '10001', available: '10001', updated_at: log.clock.now(), revision: 1 };
    expect((await after(topUp(1, 2, '0.01'))).card).toEqual(toppedUp);
    const frozen = await after(changeStatus('FreezeCard', 1, acme));
    expect(frozen.card).toEqual({ ...toppedUp, status: 'frozen', revision: 2 });
    const thawed = await after(changeStatus('UnfreezeCard', 1, acme));
    expect(thawed.card).toEqual({ ...toppedUp, revision: 3 });
    const reserved = await after(unload('ReserveUnload', 1, acme, 3, '100.01'));
    expect(reserved.card).toEqual({ ...toppedUp, available: '0', revision: 4 });
    const unloaded = await after(unload('CaptureUnload', 1, acme, 3));
    expect(unloaded.card).toEqual({ ...toppedUp, balance: '0', available: '0', revision: 5 });
    const closed = await after(changeStatus('CloseCard', 1, acme));
    expect(closed.card).toEqual({ ...toppedUp, balance: '0', available: '0', status: 'closed', revision: 6 });
  });

  it('follows payments and the balance after them', async () => {
    await after(issue(1, acmeLive));
    const paid = await after(report(1, acmeLive, 1, { status: 'pending' }));
    const payment = {
      ...{ id: idOf('payment', 1), company_id: acme.companyId, environment: 'live', card_id: idOf('card', 1) },
      ...{ reference: 'txn-1', type: 'purchase', amount: '1250', currency: 'USD', merchant: 'Coffee "House", {1}' },
      ...{ country: 'NL', description: 'Two espressos', occurred_at: new Date(occurredAt) },
      ...{ authorized_amount: '1250', cleared_amount: '0', original_amount: null, original_currency: null },
      ...{ merchant_category: null, decline_reason: null, updated_at: log.clock.now() },
      ...{ status: 'pending', revision: 1 },
    };
    expect(paid).toMatchObject({ card: { balance: '10000', available: '8750', revision: 1 }, transactions: [payment] });
    const settled = await after(report(1, acmeLive, 1));
    expect(settled.card).toMatchObject({ balance: '8750', available: '8750' });
    expect(settled.transactions).toEqual([{ ...payment, status: 'completed', cleared_amount: '1250', revision: 2 }]);
    const dear = await after(report(1, acmeLive, 2, { amount: '87.51' }));
    expect(dear).toMatchObject({
      card: { balance: '8750', revision: 3 },
      transactions: [
        { id: idOf('payment', 1), status: 'completed', revision: 2 },
        { id: idOf('payment', 2), status: 'declined', decline_reason: 'insufficient_card_balance', revision: 3 },
      ],
    });
    const returned = await after(report(1, acmeLive, 1, { status: 'reversed' }));
    expect(returned).toMatchObject({
      card: { balance: '10000', available: '10000' },
      transactions: [{ status: 'reversed' }, {}],
    });
  });

  it('throws on an event of an unknown row', async () => {
    for (const command of [issue(1, acme), topUp(1, 2, '1.00'), report(1, acme, 1, { status: 'pending' })]) {
      await log.card(command);
    }
    await log.card(report(1, acme, 1));
    const [issued, toppedUp, , changed] = await log.events();
    await expect(database.project(cardsProjection, [toppedUp!])).rejects.toThrow(
      /read_models.cards, but no earlier event/,
    );
    const withoutPayment = database.project(cardsProjection, [issued!, changed!]);
    await expect(withoutPayment).rejects.toThrow(/read_models.transactions, but no earlier event/);
    expect(await everything()).toEqual({ cards: [], transactions: [] });
  });
});

describe('For any history of cards', () => {
  async function rebuilt(...batches: Batches) {
    await database.empty('cards', 'transactions');
    await database.project(cardsProjection, ...batches);
    return everything();
  }

  async function historyOf(list: readonly CardCommand[]): Promise<readonly RecordedEvent[]> {
    const { card, events } = operationsLog();
    for (const command of list) await card(command);
    return events();
  }

  it('the rows are the same in one batch, one by one, and with redelivered events', async () => {
    const property = fc.asyncProperty(cardCommands, cuts, async (list, at) => {
      const events = await historyOf(list);
      const atOnce = await rebuilt(events);

      expect(projectedOf(atOnce)).toEqual(expectedOf(events));
      expect(await rebuilt(...events.map((event) => [event]))).toEqual(atOnce);
      expect(await rebuilt(...cutInto(events, at))).toEqual(atOnce);

      for (const old of cutInto(events, at)) {
        expect(await rebuilt([...events, ...old])).toEqual(atOnce);
        await database.project(cardsProjection, old);
        expect(await everything()).toEqual(atOnce);
      }
    });
    await fc.assert(property, { numRuns: 30 });
  }, 60_000);

  it('the histories contain every event', async () => {
    const types = ['CardIssued', 'CardToppedUp', 'CardFrozen', 'CardUnfrozen', 'CardClosed'];
    const operations = ['TopupStarted', 'TopupCanceled', 'UnloadReserved', 'CardUnloaded', 'UnloadReleased'];
    const changes = ['CardActivated', 'CardBlocked', 'CardUnblocked', 'CardExpired', 'CardChanged'];
    const all = [...types, ...operations, ...changes, 'PaymentChanged', 'PaymentRecorded'].sort();
    expect(await eventTypesIn(cardCommands, historyOf)).toEqual(all);
  }, 60_000);
});

describe('For any history of the first release, whose events have no balance beside what is available', () => {
  /** The first release did not record why a payment was declined. */
  const withoutReasons = async () => {
    const { cards, transactions } = await everything();
    return { cards, transactions: transactions.map(({ decline_reason: _, ...row }) => row) };
  };

  it('the rows are those of the same history with both amounts, in batches of any size', async () => {
    const property = fc.asyncProperty(firstReleaseCommands, cuts, fc.nat({ max: 200 }), async (list, at, upgrade) => {
      const { card, events: eventsOf } = operationsLog();
      for (const command of list) await card(command);
      const events = await eventsOf();
      const mixed = [...events.slice(0, upgrade).map(asFirstRelease), ...events.slice(upgrade)];
      await database.empty('cards', 'transactions');
      await database.project(cardsProjection, events);
      const expected = await withoutReasons();
      for (const batches of [[mixed], mixed.map((event) => [event]), cutInto(mixed, at)]) {
        await database.empty('cards', 'transactions');
        await database.project(cardsProjection, ...batches);
        expect(await withoutReasons()).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 20 });
  }, 60_000);
});

type Rows = Awaited<ReturnType<typeof everything>>;

const projectedOf = ({ cards, transactions }: Rows) => ({
  cards: cards.map(({ id, status, balance, available }) => [id, status, balance, available]),
  transactions: transactions.map(({ id, status, cleared_amount: cleared }) => [id, status, cleared]),
});

/** The same from the decider's state, sorted by id. */
function expectedOf(events: readonly RecordedEvent[]): ReturnType<typeof projectedOf> {
  const states = new Map<string, CardState>();
  for (const { type, data, stream } of events) {
    const event = { type, data: JSON.parse(data) as unknown } as CardEvent;
    states.set(stream, cardAggregate.evolve(states.get(stream), event));
  }
  const cards = [...states.values()].map((card) => card!);
  return {
    cards: cards
      .map((card) => [card.issued.cardId, card.status, String(card.balance), String(availableOn(card))])
      .sort(),
    transactions: cards
      .flatMap(({ payments }) => [...payments].map(([id, payment]) => [id, payment.status, String(clearedBy(payment))]))
      .sort(),
  };
}
