import type { CommandMessage, RecordedEvent } from '@florin/event-sourcing';
import { formatMoney } from '@florin/kernel';
import type { Order, RequestOperation } from '@florin/operations-domain';
import * as fc from 'fast-check';
import { Cards, type Operations } from './aggregates';
import { OrderReservations } from './order-reservations';
import { expectInvariants } from './testing/simulation/operations-invariants';
import { OperationsSimulation, type SimulationOptions } from './testing/simulation/operations-simulation';
import {
  acme,
  bulkOf,
  type BulkReply,
  historyOf,
  ida,
  operationIdOf,
  requestOf,
  type RequestReply,
} from './testing/simulation/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('300.00');
});
afterEach(() => OperationsSimulation.closeAll());

const open = (options: SimulationOptions = {}): Promise<OperationsSimulation> =>
  OperationsSimulation.open({ history, ...options });

type Replies = Extract<BulkReply, { ok: true }>['answer'];

async function askAll(simulation: OperationsSimulation, commands: readonly RequestOperation[]): Promise<Replies> {
  const { accountId } = commands[0]!.data;
  const reply = await simulation.request<BulkReply>('operations', accountId, bulkOf(commands));
  if (!reply.ok) throw new Error(reply.refusal.message);
  return reply.answer;
}

const outcomes = (replies: readonly (Replies[number] | RequestReply)[]): string[] =>
  replies.map((reply) => (reply.ok ? 'ok' : reply.refusal.refused));

const newEventsIn = async (simulation: OperationsSimulation): Promise<readonly RecordedEvent[]> =>
  (await simulation.recorded()).slice(history.length);

const ids = '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57';
const longestOrder = {
  productId: 'virtual-usd',
  fee: '999999999999.99',
  total: '999999999999.99',
  holderId: ids,
  cardId: ids,
  fingerprint: 'f'.repeat(64),
  createdAt: '2030-01-15T12:00:00.000Z',
};

const service = (key: string, amount: string): RequestOperation => requestOf(ida, key, { type: 'service', amount });

describe('RequestOperations', () => {
  it('reserves the funds of all accepted requests in one append, and the operations complete afterwards', async () => {
    const simulation = await open();
    const commands = [
      requestOf(ida, 'issue', { type: 'issue', amount: '100.00' }),
      service('too much', '250.00'),
      requestOf(ida, 'topup', { type: 'topup', amount: '50.00' }),
      requestOf(ida, 'unload', { type: 'unload', amount: '20.00' }),
      requestOf(ida, 'wrong total', { type: 'issue', amount: '10.00', expectedTotal: '10.00' }),
      service('service', '20.00'),
    ];
    const replies = await askAll(simulation, commands);
    expect(outcomes(replies)).toEqual(['ok', 'insufficient_funds', 'ok', 'ok', 'quote_changed', 'ok']);
    expect(replies[0]).toMatchObject({
      repeated: false,
      answer: { fee: '3.20', total: '103.20', holderId: ida.holderId },
    });
    const events = await newEventsIn(simulation);
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(['FundsReserved', 'FundsReserved', 'FundsReserved']);
    const log = await expectInvariants(simulation);
    const phases = ['issue', 'topup', 'unload', 'service'].map(
      (key) => log.operations.states.get(operationIdOf(ida, key))?.phase,
    );
    expect(phases).toEqual(['completed', 'completed', 'completed', 'completed']);
  });

  it('returns the original outcomes to a repeat, in bulk and alone, and stores nothing', async () => {
    const simulation = await open();
    const commands = [service('a', '20.00'), service('b', '500.00'), service('c', '30.00')];
    const alone = await simulation.request<RequestReply>('operations', ida.accountId, commands[2]!);
    const first = await askAll(simulation, commands);
    expect(outcomes(first)).toEqual(['ok', 'insufficient_funds', 'ok']);
    expect(first[2]).toEqual({ ...alone, repeated: true });
    const before = await newEventsIn(simulation);
    expect(await askAll(simulation, commands)).toEqual([{ ...first[0], repeated: true }, first[1], first[2]]);
    expect(await simulation.request('operations', ida.accountId, commands[0]!)).toEqual({
      ...first[0],
      repeated: true,
    });
    const conflict = await askAll(simulation, [service('a', '21.00'), service('d', '10.00')]);
    expect(outcomes(conflict)).toEqual(['idempotency_conflict', 'ok']);
    const accounts = (await newEventsIn(simulation))
      .slice(before.length)
      .filter(({ type }) => type === 'FundsReserved');
    expect(accounts).toHaveLength(1);
    await expectInvariants(simulation);
  });

  it('has an outcome for every other request if one fails, and fails if all do', async () => {
    const simulation = await open();
    jest.spyOn(Cards.prototype, 'read').mockImplementation(() => Promise.reject(new Error('unreadable')));
    const topup = requestOf(ida, 'topup', { type: 'topup', amount: '20.00' });
    const replies = await askAll(simulation, [topup, service('a', '20.00')]);
    expect(outcomes(replies)).toEqual(['unavailable', 'ok']);
    await expect(askAll(simulation, [topup])).rejects.toThrow('RequestOperations failed');
    jest.restoreAllMocks();
    expect(outcomes(await askAll(simulation, [topup, service('a', '20.00')]))).toEqual(['ok', 'ok']);
    await expectInvariants(simulation);
  });

  it.each(['before', 'after'] as const)('is recovered from a crash right %s any append', async (when) => {
    const commands = [
      requestOf(ida, 'issue', { type: 'issue', amount: '100.00' }),
      requestOf(ida, 'unload', { type: 'unload', amount: '20.00' }),
      service('too much', '500.00'),
      service('service', '20.00'),
    ];
    const crashFree = await open();
    await askAll(crashFree, commands);
    for (let append = 1; append <= crashFree.appends; append++) {
      const simulation = await open();
      simulation.plannedCrash = { append, when };
      void simulation.send('operations', ida.accountId, bulkOf(commands)).catch(() => undefined);
      await simulation.scheduler.runUntilIdle();
      expect(outcomes(await askAll(simulation, commands))).toEqual(['ok', 'ok', 'insufficient_funds', 'ok']);
      await simulation.settle();
      await expectInvariants(simulation);
      simulation.close();
    }
  });
});

describe('The largest bulk request', () => {
  it('fits into one message to the ledger', async () => {
    const bodyBytes = 256 * 1_024;
    const requests = 500;
    const messages: CommandMessage[] = [];
    const reply = { ok: true, repeated: false, answer: [] };
    const bus = {
      request: async (message: CommandMessage) => (messages.push(message), reply as never),
      send: async () => undefined,
    };
    const { data } = requestOf(ida, 'a', { type: 'issue', amount: '999999999999.99' });
    const metadata = { x: 'x'.repeat(bodyBytes / requests) };
    const order: Order = { ...data, ...longestOrder, metadata, companyId: ids, accountId: `${ids}-sandbox` };
    const quota = { name: 'issue 2030-01', limit: 500 };
    await new OrderReservations({} as Operations, bus).createAll(
      Array.from({ length: requests }, () => ({ order, quota })),
      { correlationId: ids, causationId: ids, actor: { kind: 'api_key', id: ids } },
    );
    // The limit of a batch in the outbound queue of the Kafka adapter, less its estimate for headers.
    expect(JSON.stringify(messages[0]).length).toBeLessThan(900_000 - 400);
  });
});

/** Requests that compete for funds, for the money on one card and for the quota. */
const request = fc.record({
  key: fc.nat({ max: 20 }),
  type: fc.constantFrom('issue', 'topup', 'service', 'unload'),
  cents: fc.integer({ min: 900, max: 12_000 }),
  flaw: fc.option(fc.constantFrom('total', 'card'), { freq: 4, nil: undefined }),
});

describe('Any list of requests', () => {
  it('has the outcomes, events and balances of the same requests sent alone in this order', async () => {
    const lists = fc.uniqueArray(request, { selector: ({ key }) => key, minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(lists, fc.constantFrom(ida, acme), async (list, company) => {
      const commands = list.map(({ key, type, cents, flaw }) => {
        const expectedTotal = flaw === 'total' ? '1.00' : undefined;
        const cardId = flaw === 'card' ? (company === ida ? acme : ida).cardId : undefined;
        return requestOf(company, `${key}`, { type, amount: formatMoney(BigInt(cents)), expectedTotal, cardId });
      });
      const [alone, together] = await Promise.all([1, 2].map(() => open({ overrides: { maxIssuesPerMonth: 2 } })));
      for (const simulation of [alone!, together!]) {
        // No operation ends, because the end of one can change the outcome of the next.
        for (const { data } of commands) simulation.journal.plan(data.operationId, 'never responds');
      }
      const expected: RequestReply[] = [];
      for (const command of commands) {
        expected.push(await alone!.request<RequestReply>('operations', company.accountId, command));
      }
      expect(await askAll(together!, commands)).toEqual(expected);
      const { accountId, cardId } = company;
      const [one, other] = [await alone!.log(), await together!.log()];
      expect(other.accounts.eventsOf(accountId)).toEqual(one.accounts.eventsOf(accountId));
      expect(other.cards.states.get(cardId)).toEqual(one.cards.states.get(cardId));
      expect(other.operations.states.size).toBe(one.operations.states.size);
      await together!.settle();
      await expectInvariants(together!);
      for (const simulation of [alone!, together!]) simulation.close();
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
