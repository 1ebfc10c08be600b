import { decidedByOne } from '@florin/kernel/testing';
import type { RecordedEvent } from '@florin/event-sourcing';
import { seededChoice } from '@florin/event-sourcing/testing';
import { serviceActor } from '@florin/kernel';
import type { RequestOperation } from '@florin/operations-domain';
import { Cards, Products } from './aggregates';
import { expectInvariants } from './testing/simulation/operations-invariants';
import { OperationsSimulation, type SimulationOptions } from './testing/simulation/operations-simulation';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  products,
  requestOf,
  type RequestReply,
} from './testing/simulation/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('5000.00');
});
afterEach(() => OperationsSimulation.closeAll());

const open = (options: SimulationOptions = {}): Promise<OperationsSimulation> =>
  OperationsSimulation.open({ history, ...options });

const ask = (simulation: OperationsSimulation, command: RequestOperation): Promise<RequestReply> =>
  simulation.request<RequestReply>('operations', command.data.accountId, command);

/** Concurrently, spread over the processes. */
async function askAll(
  simulation: OperationsSimulation,
  commands: readonly RequestOperation[],
): Promise<RequestReply[]> {
  const replies = commands.map((command, index) =>
    simulation.send<RequestReply>('operations', command.data.accountId, command, index),
  );
  await simulation.scheduler.runUntilIdle();
  return Promise.all(replies);
}

const newEventsIn = async (simulation: OperationsSimulation): Promise<string[]> =>
  (await simulation.recorded()).slice(history.length).map(({ type }) => type);

const outcomes = (replies: readonly RequestReply[]): string[] =>
  replies.map((reply) => (reply.ok ? 'ok' : reply.refusal.refused));

describe('RequestOperation', () => {
  it('replies once the funds are reserved, and the operation completes afterwards', async () => {
    const simulation = await open();
    const reply = await ask(simulation, requestOf(ida, 'a', { type: 'issue', amount: '100.00' }));
    const answer = { fee: '3.20', total: '103.20', createdAt: '2030-01-15T12:00:00.000Z' };
    expect(reply).toMatchObject({ ok: true, repeated: false, answer });
    expect(await newEventsIn(simulation)).toEqual([
      'FundsReserved',
      'OperationQueued',
      'IssuerCallStarted',
      'IssuerAccepted',
      'CardIssued',
      'ReservationCaptured',
      'OperationCompleted',
    ]);
    await expectInvariants(simulation);
  });

  it.each([1, 2])(
    'creates one reservation and one operation for 50 identical concurrent requests (processes: %i)',
    async (replicas) => {
      const simulation = await open({ replicas, choose: seededChoice(7) });
      const command = requestOf(ida, 'a', { type: 'issue', amount: '100.00' });
      const replies = await askAll(simulation, new Array<RequestOperation>(50).fill(command));
      expect(outcomes(replies)).toEqual(new Array(50).fill('ok'));
      expect(new Set(replies.map((reply) => reply.ok && JSON.stringify(reply.answer))).size).toBe(1);
      expect(replies.filter((reply) => reply.ok && !reply.repeated)).toHaveLength(1);
      const events = await newEventsIn(simulation);
      expect(events.filter((type) => type === 'FundsReserved')).toHaveLength(1);
      expect(events.filter((type) => type === 'OperationQueued')).toHaveLength(1);
      await expectInvariants(simulation);
    },
  );

  it('accepts exactly five of six concurrent requests for 1,000 with a balance of 5,000', async () => {
    const simulation = await open({ choose: seededChoice(3) });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const key of keys) simulation.journal.plan(operationIdOf(ida, key), 'responds unclearly');
    const commands = keys.map((key) => requestOf(ida, key, { type: 'service', amount: '1000.00' }));
    const replies = await askAll(simulation, commands);
    expect(outcomes(replies).sort()).toEqual(['insufficient_funds', 'ok', 'ok', 'ok', 'ok', 'ok']);
    const log = await expectInvariants(simulation);
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 0n, held: 500_000n });
  });

  it('continues with the order in the reservation after a crash before the operation is queued', async () => {
    const simulation = await open();
    const command = requestOf(ida, 'a', { type: 'service', amount: '20.00' });
    simulation.plannedCrash = { append: 1, when: 'after' };
    void simulation.send('operations', ida.accountId, command);
    while (simulation.plannedCrash !== undefined) await simulation.scheduler.run(1);
    // Last in, first out: the new process handles the repeat before it reads the log.
    simulation.scheduler.choose = (count) => count - 1;
    simulation.time.advance(5_000);
    const reply = await ask(simulation, command);
    const createdAt = '2030-01-15T12:00:00.000Z';
    expect(reply).toMatchObject({ ok: true, repeated: true, answer: { createdAt } });
    await expectInvariants(simulation);
  });
});

describe('A request that is accepted and not queued yet', () => {
  const command = requestOf(ida, 'a', { type: 'topup', amount: '20.00' });

  /** The process crashed right after the reservation, and the new one handles requests before it reads the log. */
  async function reservedOnly(): Promise<OperationsSimulation> {
    const simulation = await open();
    simulation.plannedCrash = { append: 1, when: 'after' };
    void simulation.send('operations', ida.accountId, command);
    while (simulation.plannedCrash !== undefined) await simulation.scheduler.run(1);
    simulation.scheduler.choose = (count) => count - 1;
    return simulation;
  }

  const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };

  const changes: Record<string, (simulation: OperationsSimulation) => Promise<unknown>> = {
    'the price was raised': ({ store, time }) => {
      const fee = { ...products.topup.fee, topup: { fixed: '1.00', percent: '0' } };
      const data = { ...products.topup, fee, requestId: 'later' } as const;
      return new Products(store, time).handle(
        data.productId,
        { type: 'DefineProduct', data },
        { id: 'later', headers },
      );
    },
    'the card was frozen': ({ store, time }) => {
      const data = { cardId: ida.cardId, accountId: ida.accountId, requestId: 'later' };
      return new Cards(store, time).handle(ida.cardId, { type: 'FreezeCard', data }, { id: 'later', headers });
    },
  };

  it.each(Object.entries(changes))('returns the first order to a repeat after %s', async (_, change) => {
    const simulation = await reservedOnly();
    expect(await change(simulation)).toMatchObject({ ok: true });
    const fresh = requestOf(ida, 'b', { type: 'topup', amount: '20.00' });
    const other = requestOf(ida, 'a', { type: 'topup', amount: '30.00' });
    const replies = await askAll(simulation, [fresh, other, command]);
    expect(outcomes(replies)).toEqual([
      expect.stringMatching(/quote_changed|card_not_active/),
      'idempotency_conflict',
      'ok',
    ]);
    expect(replies[2]).toMatchObject({ repeated: true, answer: { operationId: command.data.operationId } });
    await expectInvariants(simulation);
  });
});

describe('The same key with another body', () => {
  const first = requestOf(ida, 'a', { type: 'service', amount: '20.00' });
  const other = requestOf(ida, 'a', { type: 'service', amount: '30.00' });

  it('is a conflict and reserves nothing, during the first request and after it', async () => {
    const simulation = await open();
    const replies = await askAll(simulation, [first, other]);
    expect(outcomes(replies)).toEqual(['ok', 'idempotency_conflict']);
    const before = await newEventsIn(simulation);
    expect(outcomes([await ask(simulation, other)])).toEqual(['idempotency_conflict']);
    expect(await newEventsIn(simulation)).toEqual(before);
    await expectInvariants(simulation);
  });

  it('is a conflict also for a process with a stale cache', async () => {
    const simulation = await open({ replicas: 2 });
    const { operationId, accountId } = first.data;
    // From here on, the second process caches for a second that the operation does not exist.
    void simulation.send('operations', operationId, { type: 'AdvanceOperation', data: { operationId } }, 1);
    await simulation.scheduler.runUntilIdle();
    expect(outcomes([await ask(simulation, first)])).toEqual(['ok']);
    const before = await newEventsIn(simulation);
    const reply = simulation.send<RequestReply>('operations', accountId, other, 1);
    await simulation.scheduler.runUntilIdle();
    expect(outcomes([await reply])).toEqual(['idempotency_conflict']);
    expect(await newEventsIn(simulation)).toEqual(before);
  });
});

describe('A card that another process has frozen', () => {
  it('cannot be topped up by a process with a stale cache', async () => {
    const simulation = await open({ replicas: 2 });
    const topup = (key: string): Promise<RequestReply> =>
      simulation.send('operations', ida.accountId, requestOf(ida, key, { type: 'topup', amount: '20.00' }), 1);
    const before = topup('a');
    await simulation.scheduler.runUntilIdle();
    expect(outcomes([await before])).toEqual(['ok']);
    const data = { cardId: ida.cardId, accountId: ida.accountId, requestId: 'freeze' };
    expect(await simulation.request('operations', ida.cardId, { type: 'FreezeCard', data })).toMatchObject({
      ok: true,
    });
    const after = topup('b');
    await simulation.scheduler.runUntilIdle();
    expect(outcomes([await after])).toEqual(['card_not_active']);
    await expectInvariants(simulation);
  });
});

describe('The monthly quota of a company of the kind individual', () => {
  const issue = (key: string, company = ida): RequestOperation =>
    requestOf(company, key, { type: 'issue', amount: '10.00' });

  /** 499 cards are already ordered this month. */
  async function nearlyUsedUp(): Promise<OperationsSimulation> {
    const simulation = await open({ choose: seededChoice(5) });
    const quota = { name: 'issue 2030-01', limit: 500 };
    for (let index = 1; index < 500; index++) {
      const id = `earlier-${index}`;
      const reservation = { reservationId: id, reference: id, amount: '0.01', description: '', fingerprint: id, quota };
      const data = { accountId: ida.accountId, ...reservation, requestedAt: '2030-01-01T00:00:00.000Z' };
      void simulation.send('ledger', ida.accountId, { type: 'CreateReservation', data });
    }
    await simulation.scheduler.runUntilIdle();
    return simulation;
  }

  it('accepts one of two concurrent requests for the last slot, and a failure frees the slot', async () => {
    const simulation = await nearlyUsedUp();
    simulation.journal.plan(operationIdOf(ida, 'a'), 'never responds');
    simulation.journal.plan(operationIdOf(ida, 'b'), 'never responds');
    const replies = await askAll(simulation, [issue('a'), issue('b')]);
    expect(outcomes(replies).sort()).toEqual(['ok', 'quota_exceeded']);
    expect(outcomes([await ask(simulation, issue('c'))])).toEqual(['quota_exceeded']);

    const passed = replies[0]?.ok ? 'a' : 'b';
    await simulation.pass(20_000);
    const resolution = {
      operationId: operationIdOf(ida, passed),
      outcome: 'failed',
      note: 'Not issued',
      ...decidedByOne,
    };
    await simulation.request('operations', ida.accountId, { type: 'ResolveReview', data: resolution });
    expect(outcomes([await ask(simulation, issue('c'))])).toEqual(['ok']);
    expect(outcomes([await ask(simulation, issue('d'))])).toEqual(['quota_exceeded']);
  });

  it('resets every month, counts only cards, and does not apply to corporate companies', async () => {
    const simulation = await nearlyUsedUp();
    expect(outcomes([await ask(simulation, issue('a'))])).toEqual(['ok']);
    expect(outcomes([await ask(simulation, issue('b'))])).toEqual(['quota_exceeded']);
    expect(outcomes([await ask(simulation, requestOf(ida, 'c', { type: 'topup', amount: '10.00' }))])).toEqual(['ok']);
    simulation.time.advance(17 * 24 * 3_600_000);
    expect(outcomes([await ask(simulation, issue('b'))])).toEqual(['ok']);
    const manyCards = await open({ overrides: { maxIssuesPerMonth: 1 } });
    const replies = await askAll(manyCards, [issue('a', acme), issue('b', acme)]);
    expect(outcomes(replies)).toEqual(['ok', 'ok']);
  });
});

describe('A refusal', () => {
  const request = (parts: Partial<RequestOperation['data']>, type: 'issue' | 'topup' = 'issue'): RequestOperation => {
    const command = requestOf(ida, 'a', { type, amount: '100.00' });
    return { ...command, data: { ...command.data, ...parts } };
  };

  it.each([
    ['a holder that does not exist', request({ holderId: acme.holderId }), 'not_found'],
    ["another account's card", request({ cardId: acme.cardId }, 'topup'), 'not_found'],
    ['a product that does not exist', request({ productId: 'gold' }), 'product_unavailable'],
    ['another total', request({ expectedTotal: '103.19' }), 'quote_changed'],
    ['less than the minimum', requestOf(ida, 'a', { type: 'issue', amount: '9.99' }), 'amount_below_minimum'],
    ['more than there is', requestOf(ida, 'a', { type: 'issue', amount: '5000.00' }), 'insufficient_funds'],
  ])('of %s stores nothing and does not use up the key', async (_what, command, code) => {
    const simulation = await open();
    expect(outcomes([await ask(simulation, command)])).toEqual([code]);
    expect(await newEventsIn(simulation)).toEqual([]);
    expect(outcomes([await ask(simulation, request({}))])).toEqual(['ok']);
  });

  it('depends on the stored state, not on the cache', async () => {
    const simulation = await open({ replicas: 2 });
    const topup = request({}, 'topup');
    const { cardId, accountId } = ida;
    const frozen = { type: 'FreezeCard', data: { cardId, accountId, requestId: 'freeze' } };
    await simulation.request('operations', accountId, frozen);
    const toSecond = async (): Promise<string[]> => {
      const reply = simulation.send<RequestReply>('operations', accountId, topup, 1);
      await simulation.scheduler.runUntilIdle();
      return outcomes([await reply]);
    };
    expect(await toSecond()).toEqual(['card_not_active']);
    await simulation.request('operations', accountId, {
      ...frozen,
      type: 'UnfreezeCard',
      data: { ...frozen.data, requestId: 'un' },
    });
    expect(await toSecond()).toEqual(['ok']);
  });

  it('applies to a changed product immediately', async () => {
    const simulation = await open({ replicas: 2 });
    expect(outcomes([await ask(simulation, request({}))])).toEqual(['ok']);
    const data = { ...products.issue, available: false, requestId: 'another' };
    await simulation.request('operations', data.productId, { type: 'DefineProduct', data });
    const again = requestOf(ida, 'b', { type: 'issue', amount: '10.00' });
    expect(outcomes([await ask(simulation, again)])).toEqual(['product_unavailable']);
  });
});
