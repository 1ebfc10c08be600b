import type { RecordedEvent } from '@florin/event-sourcing';
import { seededChoice } from '@florin/event-sourcing/testing';
import { decidedByOne } from '@florin/kernel/testing';
import type { RequestOperation } from '@florin/operations-domain';
import { expectInvariants } from './testing/simulation/operations-invariants';
import { OperationsSimulation, type SimulationOptions } from './testing/simulation/operations-simulation';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  requestOf,
  type RequestReply,
  seedBalance,
} from './testing/simulation/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('5000.00');
});
afterEach(() => OperationsSimulation.closeAll());

const open = (options: SimulationOptions = {}): Promise<OperationsSimulation> =>
  OperationsSimulation.open({ history, ...options });

const unload = (amount: string, key = 'a'): RequestOperation => requestOf(ida, key, { type: 'unload', amount });

const ask = (simulation: OperationsSimulation, command: RequestOperation): Promise<RequestReply> =>
  simulation.request<RequestReply>('operations', command.data.accountId, command);

/** Concurrently, spread over the processes. */
async function askAll(simulation: OperationsSimulation, commands: readonly RequestOperation[]) {
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

describe('An unload', () => {
  it('is accepted once it is reserved on the card, and credits the account', async () => {
    const simulation = await open();
    const reply = await ask(simulation, unload('20.00'));
    const answer = { productId: 'card', fee: '0.00', total: '20.00', unloadNumber: 1 };
    expect(reply).toMatchObject({ ok: true, repeated: false, answer });
    expect(await newEventsIn(simulation)).toEqual([
      'UnloadReserved',
      'OperationQueued',
      'IssuerCallStarted',
      'IssuerAccepted',
      'CardUnloaded',
      'FundsRefunded',
      'OperationCompleted',
    ]);
    expect(simulation.journal.calls).toMatchObject([
      { type: 'unload', cardId: ida.cardId, cardReference: 'seed', amount: '20.00' },
    ]);
    const log = await expectInvariants(simulation);
    expect(log.cards.states.get(ida.cardId)).toMatchObject({ balance: 3_000n, held: 0n });
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 502_000n, held: 0n });
  });

  it('is released on the card if the issuer declines', async () => {
    const simulation = await open();
    simulation.journal.plan(operationIdOf(ida, 'a'), 'declines');
    expect(outcomes([await ask(simulation, unload('20.00'))])).toEqual(['ok']);
    expect((await newEventsIn(simulation)).slice(3)).toEqual([
      'OperationDeclined',
      'UnloadReleased',
      'OperationFailed',
    ]);
    await expectInvariants(simulation);
  });

  it.each([
    ['completed', 3_000n, 0n],
    ['failed', 5_000n, 0n],
  ] as const)('stays reserved in review until an operator resolves it as %s', async (outcome, balance, held) => {
    const simulation = await open();
    simulation.journal.plan(operationIdOf(ida, 'a'), 'responds unclearly');
    await ask(simulation, unload('20.00'));
    const reserved = await expectInvariants(simulation);
    expect(reserved.cards.states.get(ida.cardId)).toMatchObject({ balance: 5_000n, held: 2_000n });
    const resolution = { operationId: operationIdOf(ida, 'a'), outcome, note: 'Asked the issuer', ...decidedByOne };
    await simulation.request('operations', ida.accountId, { type: 'ResolveReview', data: resolution });
    const log = await expectInvariants(simulation);
    expect(log.cards.states.get(ida.cardId)).toMatchObject({ balance, held });
  });

  it.each([1, 2])('is reserved once for 50 identical concurrent requests (processes: %i)', async (replicas) => {
    const simulation = await open({ replicas, choose: seededChoice(7) });
    const replies = await askAll(simulation, new Array<RequestOperation>(50).fill(unload(seedBalance)));
    expect(outcomes(replies)).toEqual(new Array(50).fill('ok'));
    expect(new Set(replies.map((reply) => reply.ok && JSON.stringify(reply.answer))).size).toBe(1);
    expect(replies.filter((reply) => reply.ok && !reply.repeated)).toHaveLength(1);
    const events = await newEventsIn(simulation);
    expect(events.filter((type) => type === 'UnloadReserved')).toHaveLength(1);
    await expectInvariants(simulation);
  });

  describe('with the key of another order', () => {
    const service = requestOf(ida, 'a', { type: 'service', amount: '30.00' });

    it.each([
      ['after a service', [service, unload('20.00')]],
      ['before a service', [unload('20.00'), service]],
    ])('is one operation if it is requested %s', async (_when, commands) => {
      const simulation = await open();
      const replies: RequestReply[] = [];
      for (const command of commands) replies.push(await ask(simulation, command));
      expect(outcomes(replies)).toEqual(['ok', 'idempotency_conflict']);
      const log = await expectInvariants(simulation);
      expect(log.operations.states.get(operationIdOf(ida, 'a'))?.order?.type).toBe(commands[0]!.data.type);
    });

    it.each(Array.from({ length: 20 }, (_, seed) => seed))(
      'is one operation if both are requested at the same time, and the funds of the other are released (seed %i)',
      async (seed) => {
        const simulation = await open({ replicas: 2, choose: seededChoice(seed) });
        const replies = await askAll(
          simulation,
          seed % 2 === 0 ? [unload('20.00'), service] : [service, unload('20.00')],
        );
        expect(outcomes(replies)).toContain('ok');
        await simulation.settle();
        const log = await expectInvariants(simulation);
        expect(log.accounts.states.get(ida.accountId)).toMatchObject({ held: 0n });
        expect(log.cards.states.get(ida.cardId)).toMatchObject({ held: 0n });
        // The process continues.
        expect(outcomes([await ask(simulation, unload('1.00', 'b'))])).toEqual(['ok']);
        await expectInvariants(simulation);
      },
    );
  });

  it('of more than the card has is refused, however many race for it', async () => {
    const simulation = await open({ replicas: 2, choose: seededChoice(3) });
    const commands = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => unload('10.00', key));
    const replies = await askAll(simulation, commands);
    expect(outcomes(replies).sort()).toEqual(['insufficient_card_balance', 'ok', 'ok', 'ok', 'ok', 'ok']);
    const log = await expectInvariants(simulation);
    expect(log.cards.states.get(ida.cardId)).toMatchObject({ balance: 0n, held: 0n });
  });

  it('returns its first order to a repeat, although the card has nothing left', async () => {
    const simulation = await open();
    const first = await ask(simulation, unload(seedBalance));
    simulation.time.advance(3_600_000);
    expect(await ask(simulation, unload(seedBalance))).toEqual({ ...first, repeated: true });
    expect(outcomes([await ask(simulation, unload('1.00'))])).toEqual(['idempotency_conflict']);
    expect(outcomes([await ask(simulation, unload('1.00', 'b'))])).toEqual(['insufficient_card_balance']);
  });

  it('returns its first order to a repeat before the operation is queued', async () => {
    const simulation = await open();
    simulation.plannedCrash = { append: 1, when: 'after' };
    void simulation.send('operations', ida.accountId, unload(seedBalance));
    while (simulation.plannedCrash !== undefined) await simulation.scheduler.run(1);
    // Last in, first out: the new process handles the repeats before it reads the log.
    simulation.scheduler.choose = (count) => count - 1;
    const replies = await askAll(simulation, [unload('1.00', 'b'), unload('1.00'), unload(seedBalance)]);
    expect(outcomes(replies)).toEqual(['insufficient_card_balance', 'idempotency_conflict', 'ok']);
    expect(replies[2]).toMatchObject({ repeated: true, answer: { unloadNumber: 1 } });
    await expectInvariants(simulation);
  });

  it.each([
    ["another account's card", { cardId: acme.cardId }, 'not_found'],
    ['another total', { expectedTotal: '20.01' }, 'quote_changed'],
    ['more than there is', { amount: '50.01', expectedTotal: '50.01' }, 'insufficient_card_balance'],
  ] as const)('of %s stores nothing and does not use up the key', async (_, parts, code) => {
    const simulation = await open();
    const command = unload('20.00');
    const spoiled: RequestOperation = { ...command, data: { ...command.data, ...parts } };
    expect(outcomes([await ask(simulation, spoiled)])).toEqual([code]);
    expect(await newEventsIn(simulation)).toEqual([]);
    expect(outcomes([await ask(simulation, command)])).toEqual(['ok']);
  });
});

describe('A top-up', () => {
  const topup = requestOf(ida, 'a', { type: 'topup', amount: '20.00' });

  it('is recorded on the card before the issuer call', async () => {
    const simulation = await open();
    await ask(simulation, topup);
    const events = await newEventsIn(simulation);
    expect(events.indexOf('TopupStarted')).toBeLessThan(events.indexOf('IssuerCallStarted'));
    const log = await expectInvariants(simulation);
    expect(log.cards.states.get(ida.cardId)?.topups.started.size).toBe(0);
  });

  it('is canceled on the card before its funds are released', async () => {
    const simulation = await open();
    simulation.journal.plan(operationIdOf(ida, 'a'), 'declines');
    await ask(simulation, topup);
    expect((await newEventsIn(simulation)).slice(-3)).toEqual([
      'TopupCanceled',
      'ReservationReleased',
      'OperationFailed',
    ]);
    await expectInvariants(simulation);
  });

  it('that failed in an earlier release does not stay started if its reservation is read again', async () => {
    const earlier = await open();
    earlier.journal.plan(operationIdOf(ida, 'a'), 'declines');
    await ask(earlier, topup);
    const recorded = (await earlier.recorded()).filter(({ type }) => !type.startsWith('Topup'));
    const simulation = await OperationsSimulation.open({ history: recorded });
    await simulation.settle();
    expect((await simulation.recorded()).slice(-2).map(({ type }) => type)).toEqual(['TopupStarted', 'TopupCanceled']);
    await expectInvariants(simulation);
  });

  it('keeps the card from being closed until it has ended', async () => {
    const simulation = await open();
    simulation.journal.plan(operationIdOf(ida, 'a'), 'responds unclearly');
    await ask(simulation, topup);
    await ask(simulation, unload(seedBalance, 'b'));
    const { cardId, accountId } = ida;
    const close = (requestId: string) =>
      simulation.request('operations', accountId, { type: 'CloseCard', data: { cardId, accountId, requestId } });
    expect(await close('first')).toMatchObject({ ok: false, refusal: { refused: 'card_not_empty' } });
    const resolution = { operationId: operationIdOf(ida, 'a'), outcome: 'failed', note: 'No', ...decidedByOne };
    await simulation.request('operations', accountId, { type: 'ResolveReview', data: resolution });
    expect(await close('second')).toMatchObject({ ok: true });
    await expectInvariants(simulation);
  });
});
