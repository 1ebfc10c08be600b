import { NoReply, type RecordedEvent } from '@florin/event-sourcing';
import { noBackoff, silentLog } from '@florin/event-sourcing/testing';
import type { OperationState } from '@florin/operations-domain';
import { expectInvariants } from './testing/simulation/operations-invariants';
import { OperationsSimulation, type SimulationOptions } from './testing/simulation/operations-simulation';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  type RequestParts,
  requestOf,
  type SampleCompany,
} from './testing/simulation/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('1000.00');
});
afterEach(() => OperationsSimulation.closeAll());

const open = (options: SimulationOptions = {}): Promise<OperationsSimulation> =>
  OperationsSimulation.open({ history, ...options });

const service: RequestParts = { type: 'service', amount: '20.00' };

const ask = (
  simulation: OperationsSimulation,
  company: SampleCompany,
  key: string,
  parts = service,
): Promise<unknown> => simulation.request('operations', company.accountId, requestOf(company, key, parts));

const stateOf = async (
  simulation: OperationsSimulation,
  company: SampleCompany,
  key: string,
): Promise<OperationState> => (await simulation.log()).operations.states.get(operationIdOf(company, key))!;

async function eventsOf(simulation: OperationsSimulation, company: SampleCompany, key: string): Promise<string[]> {
  const events = (await simulation.log()).operations.eventsOf(operationIdOf(company, key));
  return events.map(({ type }) => type);
}

/** A call without a response takes the only slot, so the next operation waits for it. */
async function withBusyIssuer(options: SimulationOptions = {}): Promise<OperationsSimulation> {
  const simulation = await open({ ...options, overrides: { issuerConcurrency: 1, ...options.overrides } });
  simulation.journal.plan(operationIdOf(acme, 'busy'), 'never responds');
  await ask(simulation, acme, 'busy');
  return simulation;
}

describe('Between queueing and the call', () => {
  it('freezing the card fails the top-up and releases the reservation', async () => {
    const simulation = await withBusyIssuer();
    await ask(simulation, ida, 'a', { type: 'topup', amount: '50.00' });
    const { cardId, accountId } = ida;
    await simulation.request('operations', accountId, {
      type: 'FreezeCard',
      data: { cardId, accountId, requestId: 'f' },
    });
    await simulation.pass(20_000);
    expect(await eventsOf(simulation, ida, 'a')).toEqual(['OperationQueued', 'OperationDeclined', 'OperationFailed']);
    expect(simulation.journal.calls).toHaveLength(1);
    const log = await expectInvariants(simulation);
    expect(log.accounts.states.get(accountId)).toMatchObject({ available: 100_000n, held: 0n });
    const failed = log.operations.events.find(({ type }) => type === 'OperationFailed');
    expect(failed?.data).toMatchObject({ failure: { code: 'card_not_active' } });
  });

  it('freezing the card through another process fails the top-up', async () => {
    const simulation = await open({ replicas: 2 });
    const { cardId, accountId } = ida;
    void simulation.send('operations', accountId, requestOf(ida, 'a', { type: 'topup', amount: '50.00' }));
    while ((await simulation.log()).accounts.states.get(accountId)?.held === 0n) await simulation.scheduler.run(1);
    simulation.pause(0);
    const freeze = { type: 'FreezeCard', data: { cardId, accountId, requestId: 'f' } };
    void simulation.send('operations', accountId, freeze, 1);
    await simulation.scheduler.runUntilIdle();
    simulation.resume(0);
    await simulation.scheduler.runUntilIdle();
    expect(await eventsOf(simulation, ida, 'a')).toEqual(['OperationQueued', 'OperationDeclined', 'OperationFailed']);
    expect(simulation.journal.calls).toEqual([]);
    await expectInvariants(simulation);
  });

  it.each([
    ['blocked', { type: 'SetHolderStatus', data: { status: 'blocked', requestId: 'b' } }],
    ['erased', { type: 'EraseHolder', data: {} }],
  ])('a holder who is %s fails the issue and releases the reservation', async (_what, { type, data }) => {
    const simulation = await withBusyIssuer();
    await ask(simulation, ida, 'a', { type: 'issue', amount: '50.00' });
    const { holderId, accountId } = ida;
    await simulation.request('operations', accountId, { type, data: { ...data, accountId, holderId } });
    await simulation.pass(20_000);
    expect(await eventsOf(simulation, ida, 'a')).toEqual(['OperationQueued', 'OperationDeclined', 'OperationFailed']);
    const log = await expectInvariants(simulation);
    expect(log.operations.eventsOf(operationIdOf(ida, 'a'))[1]?.data).toMatchObject({
      failure: { code: 'holder_not_active' },
    });
  });
});

describe('Calls to the issuer', () => {
  it('contain only the fields that the issuer needs', async () => {
    const simulation = await open();
    await ask(simulation, ida, 'issue', { type: 'issue', amount: '50.00' });
    await ask(simulation, ida, 'topup', { type: 'topup', amount: '50.00' });
    await ask(simulation, ida, 'service');
    const common = { companyId: 'ida', currency: 'USD' };
    const { cardId } = (await stateOf(simulation, ida, 'issue')).order!;
    const holder = { holderId: ida.holderId, name: 'Ida', email: 'ida@example.com' };
    const card = { productId: 'card', amount: '50.00' };
    expect(simulation.journal.calls).toEqual([
      {
        operationId: operationIdOf(ida, 'issue'),
        type: 'issue',
        ...common,
        ...card,
        cardId,
        name: 'Team card',
        holder,
      },
      {
        operationId: operationIdOf(ida, 'topup'),
        type: 'topup',
        ...common,
        ...card,
        cardId: ida.cardId,
        cardReference: 'seed',
      },
      {
        operationId: operationIdOf(ida, 'service'),
        type: 'service',
        ...common,
        productId: 'phone',
        amount: '20.00',
        recipient: '+15550100',
      },
    ]);
  });

  it('are recorded in the append that stores the operation', async () => {
    const simulation = await open();
    await ask(simulation, ida, 'a');
    expect(await eventsOf(simulation, ida, 'a')).toEqual([
      ...['OperationQueued', 'IssuerCallStarted'],
      ...['IssuerAccepted', 'OperationCompleted'],
    ]);
    // The reservation, the first two events, the response, the capture, and the completion.
    expect(simulation.appends).toBe(5);
  });

  it('that cannot be prepared do not block other operations, and are retried', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_details: object, message: string) => warnings.push(message) };
    const simulation = await open({ overrides: { log } });
    const unseal = simulation.vault.unseal.bind(simulation.vault);
    simulation.vault.unseal = () => Promise.reject(new Error('no keys today'));
    await ask(simulation, ida, 'a', { type: 'issue', amount: '50.00' });
    await ask(simulation, ida, 'b');
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('queued');
    expect((await stateOf(simulation, ida, 'b')).phase).toBe('completed');
    expect(warnings).toEqual([
      'Could not start the issuer call; the watchdog will retry',
      'Could not advance a new operation; the watchdog will retry',
    ]);
    simulation.vault.unseal = unseal;
    await simulation.pass(20_000);
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('completed');
    await expectInvariants(simulation);
  });

  it('are limited: further operations wait in memory for a free slot', async () => {
    const simulation = await open({ overrides: { issuerConcurrency: 2 } });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) simulation.journal.plan(operationIdOf(ida, key), 'never responds');
    for (const key of keys) await ask(simulation, ida, key);
    expect(simulation.journal.calls).toHaveLength(2);
    simulation.time.advance(10_000);
    await simulation.scheduler.runUntilIdle();
    expect(simulation.journal.calls).toHaveLength(4);
    simulation.time.advance(10_000);
    await simulation.scheduler.runUntilIdle();
    expect(simulation.journal.calls.map(({ operationId }) => operationId)).toEqual(
      keys.map((key) => operationIdOf(ida, key)),
    );
    await simulation.settle();
    await expectInvariants(simulation);
  });

  it('that waited in a crashed process are resumed by the watchdog', async () => {
    const simulation = await withBusyIssuer();
    await ask(simulation, ida, 'a');
    simulation.crash();
    await simulation.scheduler.runUntilIdle();
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('queued');
    await simulation.pass(20_000);
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('completed');
    await expectInvariants(simulation);
  });

  it.each(['responds unclearly', 'never responds', 'breaks'] as const)(
    'to an issuer that %s end in review with the funds reserved',
    async (behavior) => {
      const simulation = await open();
      simulation.journal.plan(operationIdOf(ida, 'a'), behavior);
      await ask(simulation, ida, 'a');
      simulation.time.advance(10_000);
      await simulation.scheduler.runUntilIdle();
      expect((await stateOf(simulation, ida, 'a')).phase).toBe('review');
      await simulation.settle();
      const log = await expectInvariants(simulation);
      expect(log.accounts.states.get(ida.accountId)).toMatchObject({ held: 2_000n });
      expect(simulation.journal.calls).toHaveLength(1);
    },
  );

  it('with a late response record it for the review and move no money', async () => {
    const simulation = await open({ replicas: 2 });
    simulation.journal.plan(operationIdOf(ida, 'a'), 'accepts too late');
    await ask(simulation, ida, 'a');
    // The calling process is so slow that the watchdog of the other one runs first.
    simulation.pause(0);
    simulation.time.advance(20_000);
    void simulation.replica(1).watchdog.tick();
    await simulation.scheduler.runUntilIdle();
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('review');
    simulation.resume(0);
    await simulation.scheduler.runUntilIdle();
    expect(await eventsOf(simulation, ida, 'a')).toEqual([
      'OperationQueued',
      'IssuerCallStarted',
      'OperationSentToReview',
      'LateAnswerNoted',
    ]);
    await expectInvariants(simulation);
  });

  it('are not made after the deadline', async () => {
    const simulation = await open();
    const request = requestOf(ida, 'a', service);
    void simulation.send('operations', ida.accountId, request);
    while (!(await eventsOf(simulation, ida, 'a')).includes('IssuerCallStarted')) await simulation.scheduler.run(1);
    simulation.time.advance(10_000);
    await simulation.scheduler.runUntilIdle();
    expect(simulation.journal.calls).toEqual([]);
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('review');
  });

  it('wait while no issuer is configured, and log an error', async () => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (_details: object, message: string) => errors.push(message) };
    const simulation = await open({ overrides: { log } });
    const { type, data } = requestOf(ida, 'a', service);
    await simulation.request('operations', ida.accountId, { type, data: { ...data, environment: 'live' } });
    await simulation.pass(20_000);
    expect((await stateOf(simulation, ida, 'a')).phase).toBe('queued');
    expect(errors[0]).toMatch(/No live issuer is configured/);
  });

  it('store the response as soon as the store is available again', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_details: object, message: string) => warnings.push(message) };
    const simulation = await open({ overrides: { log, backoff: noBackoff } });
    void simulation.send('operations', ida.accountId, requestOf(ida, 'a', service));
    while (simulation.journal.calls.length === 0) await simulation.scheduler.run(1);
    // More than the retries of a single command.
    simulation.failingAppends = 7;
    while ((await stateOf(simulation, ida, 'a')).phase !== 'completed') {
      await simulation.scheduler.runUntilIdle();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(warnings).toContain('Could not store the issuer response; retrying');
    await expectInvariants(simulation);
  });
});

describe('A process that shuts down', () => {
  it('starts no more calls and waits for those in progress', async () => {
    const simulation = await withBusyIssuer();
    await ask(simulation, ida, 'waiting');
    let ended = false;
    const ending = simulation.replica().calls.onApplicationShutdown();
    void ending.then(() => (ended = true));
    await simulation.scheduler.runUntilIdle();
    expect(ended).toBe(false);

    const operationId = operationIdOf(ida, 'waiting');
    const advance = simulation.send('operations', operationId, { type: 'AdvanceOperation', data: { operationId } });
    const refused = expect(advance).rejects.toThrow(NoReply);
    await simulation.scheduler.runUntilIdle();
    await refused;

    simulation.time.advance(10_000);
    await simulation.scheduler.runUntilIdle();
    await ending;
    expect((await stateOf(simulation, acme, 'busy')).phase).toBe('review');
    expect((await stateOf(simulation, ida, 'waiting')).phase).toBe('queued');
    expect(simulation.journal.calls).toHaveLength(1);
  });
});
