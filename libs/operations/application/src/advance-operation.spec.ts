import { decidedByOne } from '@florin/kernel/testing';
import { type CommandReply, metadataOf, type RecordedEvent } from '@florin/event-sourcing';
import { silentLog, simulatedOperator } from '@florin/event-sourcing/testing';
import type { OperationAnswer, OperationRefusal } from '@florin/operations-domain';
import { expectInvariants } from './testing/simulation/operations-invariants';
import { OperationsSimulation, type SimulationOptions } from './testing/simulation/operations-simulation';
import { historyOf, ida, operationIdOf, type RequestParts, requestOf } from './testing/simulation/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('1000.00');
});
afterEach(() => OperationsSimulation.closeAll());

const open = (options: SimulationOptions = {}): Promise<OperationsSimulation> =>
  OperationsSimulation.open({ history, ...options });
const operationId = operationIdOf(ida, 'a');
const issue: RequestParts = { type: 'issue', amount: '100.00' };

async function inReview(options?: SimulationOptions): Promise<OperationsSimulation> {
  const simulation = await open(options);
  simulation.journal.plan(operationId, 'responds unclearly');
  await simulation.request('operations', ida.accountId, requestOf(ida, 'a', issue));
  return simulation;
}

const resolve = (
  simulation: OperationsSimulation,
  outcome: string,
): Promise<CommandReply<OperationAnswer, OperationRefusal>> =>
  simulation.request('operations', operationId, {
    type: 'ResolveReview',
    data: { operationId, outcome, note: 'Seen', ...decidedByOne },
  });

describe('ResolveReview', () => {
  it('as completed issues the card and captures the reservation', async () => {
    const simulation = await inReview();
    expect(await resolve(simulation, 'completed')).toMatchObject({ ok: true, answer: { status: 'completed' } });
    const log = await expectInvariants(simulation);
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 89_680n, held: 0n });
    expect(log.cards.events.filter(({ type }) => type === 'CardIssued')).toHaveLength(3);
    expect(simulation.journal.calls).toHaveLength(1);
  });

  it('as failed releases the reservation', async () => {
    const simulation = await inReview();
    expect(await resolve(simulation, 'failed')).toMatchObject({ ok: true, answer: { status: 'failed' } });
    const log = await expectInvariants(simulation);
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 100_000n, held: 0n });
    expect(log.cards.events.filter(({ type }) => type === 'CardIssued')).toHaveLength(2);
  });

  it.each([
    ['completed', 'failed'],
    ['failed', 'completed'],
  ])('as %s is idempotent and refuses the opposite outcome', async (outcome, contrary) => {
    const simulation = await inReview();
    await resolve(simulation, outcome);
    const before = await simulation.store.head();
    expect(await resolve(simulation, outcome)).toMatchObject({ ok: true, repeated: true, answer: { status: outcome } });
    expect(await resolve(simulation, contrary)).toMatchObject({ ok: false, refusal: { refused: 'review_resolved' } });
    expect(await simulation.store.head()).toBe(before);
  });

  it('with both outcomes concurrently applies one', async () => {
    const simulation = await inReview({ replicas: 2 });
    const replies = ['completed', 'failed'].map((outcome, replica) => {
      const data = { operationId, outcome, note: 'Seen', ...decidedByOne };
      return simulation.send<CommandReply>('operations', operationId, { type: 'ResolveReview', data }, replica);
    });
    await simulation.scheduler.runUntilIdle();
    const refusals = (await Promise.all(replies)).flatMap((reply) => (reply.ok ? [] : [reply.refusal.refused]));
    expect(refusals).toEqual(['review_resolved']);
    await expectInvariants(simulation);
  });

  it.each(['completed', 'failed'])(
    'as %s names the operator in all that follows, also after a crash',
    async (outcome) => {
      const crashFree = await inReview();
      const before = crashFree.appends;
      await resolve(crashFree, outcome);
      for (let append = before + 1; append <= crashFree.appends; append++) {
        const simulation = await inReview();
        simulation.plannedCrash = { append, when: 'after' };
        const data = { operationId, outcome, note: 'Seen', ...decidedByOne };
        void simulation.send('operations', operationId, { type: 'ResolveReview', data });
        await simulation.scheduler.runUntilIdle();
        await expectInvariants(simulation);
        const events = await simulation.recorded();
        const resolved = events.findIndex(({ type }) => type === 'ReviewResolved');
        const actors = events.slice(resolved).map((event) => metadataOf(event).actor);
        expect(actors.length).toBeGreaterThan(2);
        for (const actor of actors) expect([append, actor]).toEqual([append, simulatedOperator]);
      }
    },
  );

  it('is refused for an unknown operation and one that is not in review', async () => {
    const simulation = await open();
    expect(await resolve(simulation, 'failed')).toMatchObject({ ok: false, refusal: { refused: 'operation_unknown' } });
    await simulation.request('operations', ida.accountId, requestOf(ida, 'a', issue));
    expect(await resolve(simulation, 'failed')).toMatchObject({ ok: false, refusal: { refused: 'wrong_phase' } });
  });
});

describe('AdvanceOperation', () => {
  const advance = { type: 'AdvanceOperation', data: { operationId } };

  it('does nothing for an operation that waits for an operator or does not exist', async () => {
    const simulation = await inReview();
    const before = await simulation.store.head();
    expect(await simulation.request('operations', operationId, advance)).toMatchObject({ ok: true, repeated: true });
    const unknown = { ...advance, data: { operationId: operationIdOf(ida, 'unknown') } };
    expect(await simulation.request('operations', 'unknown', unknown)).toMatchObject({ ok: true, repeated: true });
    expect(await simulation.store.head()).toBe(before);
  });

  it('reads events that another process has stored', async () => {
    const simulation = await inReview({ replicas: 2 });
    const toSecond = async (): Promise<unknown> => {
      const reply = simulation.send('operations', operationId, advance, 1);
      await simulation.scheduler.runUntilIdle();
      return reply;
    };
    // From here on, the second process has the operation in review in its cache.
    expect(await toSecond()).toMatchObject({ ok: true, repeated: true });
    simulation.plannedCrash = { append: simulation.appends + 1, when: 'after' };
    const data = { operationId, outcome: 'completed', note: 'Seen', ...decidedByOne };
    void simulation.send('operations', operationId, { type: 'ResolveReview', data });
    while (simulation.plannedCrash !== undefined) await simulation.scheduler.run(1);
    simulation.pause(0);
    expect(await toSecond()).toMatchObject({ ok: true, repeated: false });
    expect((await simulation.log()).operations.states.get(operationId)?.phase).toBe('completed');
  });

  it('logs a reservation that was closed with the opposite outcome, and moves no money', async () => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (_details: object, message: string) => errors.push(message) };
    const simulation = await inReview({ overrides: { log } });
    const { accountId } = ida;
    const release = { type: 'ReleaseReservation', data: { accountId, reservationId: operationId } };
    await simulation.request('ledger', accountId, release);
    expect(await resolve(simulation, 'completed')).toMatchObject({ ok: true, answer: { status: 'manual_review' } });
    const refusal = { refused: 'reservation_released' };
    expect(await simulation.request('operations', operationId, advance)).toMatchObject({ ok: false, refusal });
    await simulation.pass(20_000);
    expect(errors).toEqual([
      'A command failed and was skipped; it is retried later',
      'An operation cannot be resumed; investigate it',
    ]);
    const account = (await simulation.log()).accounts.states.get(accountId);
    expect(account).toMatchObject({ available: 100_000n, held: 0n });
  });
});
