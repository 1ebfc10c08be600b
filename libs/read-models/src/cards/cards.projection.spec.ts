import type { RecordedEvent } from '@florin/event-sourcing';
import { type CardCommand, cardAggregate, type CardEvent, type CardState } from '@florin/operations-domain';
import fc from 'fast-check';
import { type Batches, cutInto, cuts } from '../testing/batches';
import { type OperationsLog, operationsLog } from '../testing/operations-log';
import { acme, acmeLive, idOf } from '../testing/owners';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { cardsProjection } from './cards.projection';
import { cardCommands, createdAt, issue, occurredAt, report, topUp, changeStatus } from './testing/card-commands';

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
      ...{ created_at: new Date(createdAt), status: 'active', balance: '10000', revision: 0 },
    };
    const first = await after(issue(1, acme, { cardReference: 'crd_1' }));
    expect(first).toEqual({ card: issued, transactions: [] });
    const toppedUp = { ...issued, balance: '10001', revision: 1 };
    expect((await after(topUp(1, 2, '0.01'))).card).toEqual(toppedUp);
    const frozen = await after(changeStatus('FreezeCard', 1, acme));
    expect(frozen.card).toEqual({ ...toppedUp, status: 'frozen', revision: 2 });
    const thawed = await after(changeStatus('UnfreezeCard', 1, acme));
    expect(thawed.card).toEqual({ ...toppedUp, revision: 3 });
    const closed = await after(changeStatus('CloseCard', 1, acme));
    expect(closed.card).toEqual({ ...toppedUp, status: 'closed', revision: 4 });
  });

  it('follows payments and the balance after them', async () => {
    await after(issue(1, acmeLive));
    const paid = await after(report(1, acmeLive, 1, { status: 'pending' }));
    const payment = {
      ...{ id: idOf('payment', 1), company_id: acme.companyId, environment: 'live', card_id: idOf('card', 1) },
      ...{ reference: 'txn-1', type: 'purchase', amount: '1250', currency: 'USD', merchant: 'Coffee "House", {1}' },
      ...{ country: 'NL', description: 'Two espressos', occurred_at: new Date(occurredAt) },
      ...{ status: 'pending', revision: 1 },
    };
    expect(paid).toMatchObject({ card: { balance: '8750', revision: 1 }, transactions: [payment] });
    const settled = await after(report(1, acmeLive, 1));
    expect(settled.transactions).toEqual([{ ...payment, status: 'completed', revision: 2 }]);
    const dear = await after(report(1, acmeLive, 2, { amount: '87.51' }));
    expect(dear).toMatchObject({
      card: { balance: '8750', revision: 3 },
      transactions: [
        { id: idOf('payment', 1), status: 'completed', revision: 2 },
        { id: idOf('payment', 2), status: 'declined', revision: 3 },
      ],
    });
    const returned = await after(report(1, acmeLive, 1, { status: 'reversed' }));
    expect(returned).toMatchObject({ card: { balance: '10000' }, transactions: [{ status: 'reversed' }, {}] });
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

  it('the rows are the same in one batch, one by one, and with redelivered events', async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(cardCommands, cuts, async (list, at) => {
      const { card, events: eventsOf } = operationsLog();
      for (const command of list) await card(command);
      const events = await eventsOf();
      const atOnce = await rebuilt(events);
      for (const { type } of events) seen.add(type);

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
    const types = ['CardIssued', 'CardToppedUp', 'CardFrozen', 'CardUnfrozen', 'CardClosed'];
    expect([...seen].sort()).toEqual([...types, 'PaymentChanged', 'PaymentRecorded'].sort());
  }, 60_000);
});

type Rows = Awaited<ReturnType<typeof everything>>;

const projectedOf = ({ cards, transactions }: Rows) => ({
  cards: cards.map(({ id, status, balance }) => [id, status, balance]),
  transactions: transactions.map(({ id, status }) => [id, status]),
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
    cards: cards.map(({ issued, status, balance }) => [issued.cardId, status, String(balance)]).sort(),
    transactions: cards.flatMap(({ payments }) => [...payments].map(([id, { status }]) => [id, status])).sort(),
  };
}
