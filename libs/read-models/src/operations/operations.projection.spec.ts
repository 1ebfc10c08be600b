import type { RecordedEvent } from '@florin/event-sourcing';
import type { AccountCommand, CreateReservation } from '@florin/ledger-domain';
import { type OperationCommand, operationAggregate, statusOf } from '@florin/operations-domain';
import type { OperationEvent, Order, OperationState } from '@florin/operations-domain';
import fc from 'fast-check';
import { type Batches, type Cuts, cutInto, cuts } from '../testing/batches';
import { eventTypesIn } from '../testing/event-types';
import { type OperationsLog, operationsLog } from '../testing/operations-log';
import * as card from '../cards/testing/card-commands';
import { acme, ida, idOf } from '../testing/owners';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { operationsProjection } from './operations.projection';
import * as commands from './testing/operation-commands';

const { abandon, complete, fail, note, orderOf, queue, record, resolve, start } = commands;
const id = idOf('operation', 1);

let database: ReadModelDatabase;
let log: OperationsLog;
let projected: number;

beforeAll(async () => {
  database = await readModelDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.empty('operations');
  log = operationsLog();
  projected = 0;
});

/** Runs a command a second after the one before it, projects its events, and returns the row. */
async function after(command: OperationCommand): Promise<Record<string, unknown> | undefined> {
  log.clock.advance(1_000);
  expect(await log.operation(command)).toMatchObject({ ok: true, repeated: false });
  const events = await log.events();
  await database.project(operationsProjection, events.slice(projected));
  projected = events.length;
  const rows = await database.rows('operations');
  return rows.find((row) => row.id === command.data.operationId);
}

/** As a subscription delivers them: only the types of the projection. */
const project = (events: readonly RecordedEvent[]): Promise<void> =>
  database.project(
    operationsProjection,
    events.filter(({ type }) => operationsProjection.eventTypes!.includes(type)),
  );

const { accountId } = orderOf(id, acme);
const deposit: AccountCommand = {
  type: 'DepositFunds',
  data: { accountId, depositId: 'd', reference: 'd', amount: '500.00', fee: '0.00', description: '', fingerprint: 'd' },
};
const reserve = (order: Order): CreateReservation => {
  const { operationId, total, fingerprint, createdAt } = order;
  const facts = { reservationId: operationId, reference: operationId, amount: total, description: '', fingerprint };
  return { type: 'CreateReservation', data: { accountId, ...facts, order: { ...order }, requestedAt: createdAt } };
};

const second = (number: number): Date => new Date(`2030-01-01T10:00:0${number}.000Z`);

describe('The operations projection', () => {
  it('follows an operation from queueing to completion', async () => {
    const queued = {
      ...{ id, company_id: acme.companyId, environment: 'sandbox', type: 'issue', product_id: 'virtual-usd' },
      ...{ amount: '10000', fee: '320', total: '10320', name: 'Travel', recipient: null, metadata: { order: '4711' } },
      ...{ holder_id: idOf('holder', 1), card_id: idOf('card', 1), created_at: new Date(commands.createdAt) },
      ...{ status: 'queued', open: true, failed: false, updated_at: second(1), revision: 0 },
      ...{ result: null, failure: null, review: null, late_answers: null },
    };
    const details = { name: 'Travel', metadata: { order: '4711' } };
    expect(await after(queue(orderOf(id, acme, details)))).toEqual(queued);
    const processing = { ...queued, status: 'processing', updated_at: second(2), revision: 1 };
    expect(await after(start(id))).toEqual(processing);
    const accepted = { ...processing, updated_at: second(3), revision: 2 };
    expect(await after(record(id, { outcome: 'accepted', receipt: 'R-1' }))).toEqual(accepted);
    expect(await after(complete(id))).toEqual({
      ...accepted,
      ...{ status: 'completed', open: false, updated_at: second(4), revision: 3 },
      result: { cardId: idOf('card', 1), receipt: 'R-1' },
    });
  });

  it('follows an operation that the issuer declines', async () => {
    await after(queue(orderOf(id, acme)));
    await after(start(id));
    const declined = await after(record(id, { outcome: 'declined', code: 'declined', message: 'No' }));
    expect(declined).toMatchObject({ status: 'processing', failure: null, open: true });
    expect(await after(fail(id))).toMatchObject({
      ...{ status: 'failed', open: false, failed: true, result: null },
      failure: { code: 'declined', message: 'No' },
    });
  });

  it('follows an operation through a review', async () => {
    const order = orderOf(id, acme, { type: 'service', cardId: undefined, holderId: undefined, recipient: 'Ödön {1}' });
    await after(queue(order));
    await after(start(id));
    const review = { reason: expect.stringContaining('No issuer response') as string, since: second(3).toISOString() };
    const inReview = { status: 'manual_review', open: true, review, recipient: 'Ödön {1}' };
    expect(await after(abandon(id))).toMatchObject({ ...inReview, late_answers: null, card_id: null });

    await after(note(id, 1, { outcome: 'accepted', receipt: 'R-1' }));
    const noted = await after(note(id, 2, { outcome: 'declined', code: 'x', message: 'y' }, '7.00'));
    expect(noted).toMatchObject({
      ...inReview,
      late_answers: {
        [idOf('note', 1)]: { answer: { outcome: 'accepted', receipt: 'R-1' }, matches: true },
        [idOf('note', 2)]: { answer: { outcome: 'declined' }, matches: false, notedAt: '2030-01-02T00:00:07.000Z' },
      },
    });

    const resolution = { outcome: 'completed', note: 'The issuer said so' };
    const resolved = await after(resolve(id, 'completed'));
    expect(resolved).toMatchObject({ ...inReview, review: { ...review, resolution } });
    expect(await after(complete(id))).toMatchObject({
      ...{ status: 'completed', open: false, result: { receipt: 'R-1' } },
      ...{ review: { ...review, resolution }, revision: 6 },
    });
  });

  it('changes only revision and time for an orphaned reservation', async () => {
    await after(queue(orderOf(id, acme)));
    await after(start(id));
    await after(record(id, { outcome: 'declined', code: 'declined', message: 'No' }));
    const failed = await after(fail(id));
    const orphaned = { ...orderOf(id, acme), createdAt: '2031-01-01T00:00:00.000Z' };
    expect(await after(queue(orphaned))).toEqual({ ...failed, updated_at: second(5), revision: 4 });
  });

  it('shows an operation as soon as its funds are reserved, before its own stream begins', async () => {
    await log.account(deposit);
    await log.account(reserve(orderOf(id, acme)));
    await project(await log.events());
    const [accepted] = await database.rows('operations');
    expect(accepted).toMatchObject({ id, status: 'queued', open: true, total: '10320', updated_at: second(0) });
    projected = (await log.events()).length;
    expect(await after(queue(orderOf(id, acme)))).toEqual({ ...accepted, updated_at: second(1), revision: 0 });
  });

  it('shows an unload as soon as it is reserved on the card', async () => {
    await log.card(card.issue(1, acme));
    await log.card(card.unload('ReserveUnload', 1, acme, 1, '40.00'));
    await project(await log.events());
    const [accepted] = await database.rows('operations');
    expect(accepted).toMatchObject({
      ...{ id, type: 'unload', status: 'queued', open: true, total: '4000', card_id: idOf('card', 1), revision: -1 },
    });
    projected = (await log.events()).length;
    const { order } = JSON.parse((await log.events())[1]!.data) as { readonly order: Order };
    expect(await after(queue(order))).toEqual({ ...accepted, updated_at: second(1), revision: 0 });
  });

  it('prefers the events of the operation to its reservation, in any order and batches', async () => {
    await log.account(deposit);
    await log.account(reserve(orderOf(id, acme)));
    for (const command of [queue(orderOf(id, acme)), start(id), abandon(id)]) await log.operation(command);
    const events = await log.events();
    const ofAccount = events.filter(({ stream }) => stream.startsWith('account-'));
    const ofOperation = events.filter(({ stream }) => stream.startsWith('operation-'));
    await database.project(operationsProjection, ofOperation.slice(0, 2));
    await project([...ofAccount, ofOperation[2]!]);
    const rows = await database.rows('operations');
    expect(rows).toMatchObject([{ id, status: 'manual_review', revision: 2 }]);
    await project(ofAccount);
    expect(await database.rows('operations')).toEqual(rows);
  });

  it('shows the order that was queued if another one was accepted with the same key at the same time', async () => {
    await log.account(deposit);
    await log.account(reserve(orderOf(id, acme)));
    await log.card(card.issue(1, acme));
    await log.card(card.unload('ReserveUnload', 1, acme, 1, '40.00'));
    const [, reserved, , unload] = await log.events();
    const { order } = JSON.parse(unload!.data) as { readonly order: Order };
    await project([reserved!]);
    await project([unload!]);
    projected = (await log.events()).length;
    const row = await after(queue(order));
    expect(row).toMatchObject({ id, type: 'unload', total: '4000', holder_id: null, status: 'queued', revision: 0 });
    await project([reserved!, unload!]);
    expect(await database.rows('operations')).toEqual([row]);
  });

  it('reads the order from `purpose` in version 1 of FundsReserved', async () => {
    await log.account(deposit);
    await log.account(reserve(orderOf(id, acme)));
    const [, reserved] = await log.events();
    const { order, ...rest } = JSON.parse(reserved!.data) as Record<string, unknown>;
    const metadata = { ...(JSON.parse(reserved!.metadata) as object), schemaVersion: 1 };
    const data = JSON.stringify({ ...rest, purpose: order });
    await project([{ ...reserved!, data, metadata: JSON.stringify(metadata) }]);
    expect(await database.rows('operations')).toMatchObject([{ id, status: 'queued', total: '10320' }]);
  });

  it('shows nothing of a reservation that has no order', async () => {
    await log.account(deposit);
    const { data } = reserve(orderOf(id, acme));
    await log.account({ type: 'CreateReservation', data: { ...data, order: undefined } });
    await project(await log.events());
    expect(await database.rows('operations')).toEqual([]);
  });

  it('writes each operation once per batch, next to changes to operations of earlier batches', async () => {
    const other = idOf('operation', 2);
    await after(queue(orderOf(other, ida)));
    for (const command of [queue(orderOf(id, acme)), start(id), abandon(id), resolve(id, 'failed'), start(other)]) {
      await log.operation(command);
    }
    await database.project(operationsProjection, (await log.events()).slice(1));
    expect(await database.rows('operations')).toMatchObject([
      { id, status: 'manual_review', open: true, revision: 3, review: { resolution: { outcome: 'failed' } } },
      { id: other, company_id: ida.companyId, status: 'processing', revision: 1 },
    ]);
  });

  it('throws on an event of an unknown row', async () => {
    await log.operation(queue(orderOf(id, acme)));
    await log.operation(start(id));
    const [, started] = await log.events();
    await expect(database.project(operationsProjection, [started!])).rejects.toThrow(
      `Events change ${id} in read_models.operations, but no earlier event created it`,
    );
    expect(await database.rows('operations')).toEqual([]);
  });

  it('writes nothing for no events', async () => {
    await database.project(operationsProjection, []);
    expect(await database.rows('operations')).toEqual([]);
  });
});

describe('For any history of operations', () => {
  async function rebuilt(...batches: Batches) {
    await database.empty('operations');
    await database.project(operationsProjection, ...batches);
    return database.rows('operations');
  }

  async function historyOf(list: readonly OperationCommand[]): Promise<readonly RecordedEvent[]> {
    const { operation, events, clock } = operationsLog();
    for (const command of list) {
      clock.advance(1_001);
      await operation(command);
    }
    return events();
  }

  it('the rows are the same in one batch, one by one, and with redelivered events', async () => {
    const property = fc.asyncProperty(commands.operationCommands, cuts, async (list, at: Cuts) => {
      const events = await historyOf(list);
      const atOnce = await rebuilt(events);

      expect(atOnce.map(({ id, status }) => [id, status])).toEqual(statusesOf(events));
      expect(await rebuilt(...events.map((event) => [event]))).toEqual(atOnce);
      expect(await rebuilt(...cutInto(events, at))).toEqual(atOnce);

      for (const old of cutInto(events, at)) {
        expect(await rebuilt([...events, ...old])).toEqual(atOnce);
        await database.project(operationsProjection, old);
        expect(await database.rows('operations')).toEqual(atOnce);
      }
    });
    await fc.assert(property, { numRuns: 30 });
  }, 60_000);

  it('the histories contain every status and rare events', async () => {
    const statuses = new Set<unknown>();
    const types = await eventTypesIn(commands.operationCommands, async (list) => {
      const events = await historyOf(list);
      for (const [, status] of statusesOf(events)) statuses.add(status);
      return events;
    });
    expect([...statuses].sort()).toEqual(['completed', 'failed', 'manual_review', 'processing', 'queued']);
    expect(types).toEqual(expect.arrayContaining(['LateAnswerNoted', 'ReviewResolved', 'StrayHoldFound']));
  });
});

/** The status of every operation from the decider's state, sorted by id. */
function statusesOf(events: readonly RecordedEvent[]) {
  const states = new Map<string, OperationState>();
  for (const { type, data, stream } of events) {
    const event = { type, data: JSON.parse(data) as unknown } as OperationEvent;
    states.set(stream, operationAggregate.evolve(states.get(stream) ?? operationAggregate.initialState(), event));
  }
  return [...states.values()].map((state) => [state.order!.operationId, statusOf(state)]).sort();
}
