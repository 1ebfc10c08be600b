import { noBackoff, NoReply, type RecordedEvent } from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import type { OperationState } from '@florin/operations-domain';
import { expectSound } from './testing/flow/flow-invariants';
import { FlowWorld, type WorldOptions } from './testing/flow/flow-world';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  type RequestParts,
  requestOf,
  type SampleCompany,
} from './testing/flow/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('1000.00');
});
afterEach(() => FlowWorld.closeAll());

const open = (options: WorldOptions = {}): Promise<FlowWorld> => FlowWorld.open({ history, ...options });

const service: RequestParts = { type: 'service', amount: '20.00' };

const ask = (world: FlowWorld, company: SampleCompany, key: string, parts = service): Promise<unknown> =>
  world.request('operations', company.accountId, requestOf(company, key, parts));

const stateOf = async (world: FlowWorld, company: SampleCompany, key: string): Promise<OperationState> =>
  (await world.log()).operations.states.get(operationIdOf(company, key))!;

async function eventsOf(world: FlowWorld, company: SampleCompany, key: string): Promise<string[]> {
  const events = (await world.log()).operations.eventsOf(operationIdOf(company, key));
  return events.map(({ type }) => type);
}

/** All slots are taken by a call that never answers, so that the next operation waits for its turn. */
async function withBusyIssuer(options: WorldOptions = {}): Promise<FlowWorld> {
  const world = await open({ ...options, overrides: { issuerConcurrency: 1, ...options.overrides } });
  world.journal.plan(operationIdOf(acme, 'busy'), 'never answers');
  await ask(world, acme, 'busy');
  return world;
}

describe('Between queueing and the call', () => {
  it('a card that is frozen fails the top-up and releases the hold', async () => {
    const world = await withBusyIssuer();
    await ask(world, ida, 'a', { type: 'topup', amount: '50.00' });
    const { cardId, accountId } = ida;
    await world.request('operations', accountId, { type: 'FreezeCard', data: { cardId, accountId, requestId: 'f' } });
    await world.pass(20_000);
    expect(await eventsOf(world, ida, 'a')).toEqual(['OperationQueued', 'OperationDeclined', 'OperationFailed']);
    expect(world.journal.calls).toHaveLength(1);
    const log = await expectSound(world);
    expect(log.accounts.states.get(accountId)).toMatchObject({ available: 100_000n, held: 0n });
    const failed = log.operations.events.find(({ type }) => type === 'OperationFailed');
    expect(failed?.data).toMatchObject({ failure: { code: 'card_not_active' } });
  });

  it('a card that was frozen through another process a moment ago does so, too', async () => {
    const world = await open({ replicas: 2 });
    const { cardId, accountId } = ida;
    void world.send('operations', accountId, requestOf(ida, 'a', { type: 'topup', amount: '50.00' }));
    while ((await world.log()).accounts.states.get(accountId)?.held === 0n) await world.turns.grant(1);
    world.pause(0);
    const freeze = { type: 'FreezeCard', data: { cardId, accountId, requestId: 'f' } };
    void world.send('operations', accountId, freeze, 1);
    await world.turns.grantAll();
    world.resume(0);
    await world.turns.grantAll();
    expect(await eventsOf(world, ida, 'a')).toEqual(['OperationQueued', 'OperationDeclined', 'OperationFailed']);
    expect(world.journal.calls).toEqual([]);
    await expectSound(world);
  });

  it.each([
    ['blocked', { type: 'SetHolderStatus', data: { status: 'blocked', requestId: 'b' } }],
    ['erased', { type: 'EraseHolder', data: {} }],
  ])('a holder who is %s fails the issue and releases the hold', async (_what, { type, data }) => {
    const world = await withBusyIssuer();
    await ask(world, ida, 'a', { type: 'issue', amount: '50.00' });
    const { holderId, accountId } = ida;
    await world.request('operations', accountId, { type, data: { ...data, accountId, holderId } });
    await world.pass(20_000);
    expect(await eventsOf(world, ida, 'a')).toEqual(['OperationQueued', 'OperationDeclined', 'OperationFailed']);
    const log = await expectSound(world);
    expect(log.operations.eventsOf(operationIdOf(ida, 'a'))[1]?.data).toMatchObject({
      failure: { code: 'holder_not_active' },
    });
  });
});

describe('Calls to the issuer', () => {
  it('carry all that the issuer needs, and nothing else', async () => {
    const world = await open();
    await ask(world, ida, 'issue', { type: 'issue', amount: '50.00' });
    await ask(world, ida, 'topup', { type: 'topup', amount: '50.00' });
    await ask(world, ida, 'service');
    const common = { companyId: 'ida', currency: 'USD' };
    const { cardId } = (await stateOf(world, ida, 'issue')).order!;
    const holder = { holderId: ida.holderId, name: 'Ida', email: 'ida@example.com' };
    const card = { productId: 'card', amount: '50.00' };
    expect(world.journal.calls).toEqual([
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

  it('are intended by the very append that stores the operation', async () => {
    const world = await open();
    await ask(world, ida, 'a');
    expect(await eventsOf(world, ida, 'a')).toEqual([
      ...['OperationQueued', 'IssuerCallStarted'],
      ...['IssuerAccepted', 'OperationCompleted'],
    ]);
    // The hold, both of the first two, the answer, the capture, and the end.
    expect(world.appends).toBe(5);
  });

  it('that cannot be prepared hold up no other operation, and are made when they can', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_details: object, message: string) => warnings.push(message) };
    const world = await open({ overrides: { log } });
    const unseal = world.vault.unseal.bind(world.vault);
    world.vault.unseal = () => Promise.reject(new Error('no keys today'));
    await ask(world, ida, 'a', { type: 'issue', amount: '50.00' });
    await ask(world, ida, 'b');
    expect((await stateOf(world, ida, 'a')).phase).toBe('queued');
    expect((await stateOf(world, ida, 'b')).phase).toBe('completed');
    expect(warnings).toEqual([
      'Could not start the issuer call; the watchdog will retry',
      'Could not advance a new operation; the watchdog will retry',
    ]);
    world.vault.unseal = unseal;
    await world.pass(20_000);
    expect((await stateOf(world, ida, 'a')).phase).toBe('completed');
    await expectSound(world);
  });

  it('are bounded: the others wait in memory, and each gets the next free slot', async () => {
    const world = await open({ overrides: { issuerConcurrency: 2 } });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) world.journal.plan(operationIdOf(ida, key), 'never answers');
    for (const key of keys) await ask(world, ida, key);
    expect(world.journal.calls).toHaveLength(2);
    world.time.advance(10_000);
    await world.turns.grantAll();
    expect(world.journal.calls).toHaveLength(4);
    world.time.advance(10_000);
    await world.turns.grantAll();
    expect(world.journal.calls.map(({ operationId }) => operationId)).toEqual(
      keys.map((key) => operationIdOf(ida, key)),
    );
    await world.comeToRest();
    await expectSound(world);
  });

  it('that waited in the memory of a dead process are found by the watchdog', async () => {
    const world = await withBusyIssuer();
    await ask(world, ida, 'a');
    world.crash();
    await world.turns.grantAll();
    expect((await stateOf(world, ida, 'a')).phase).toBe('queued');
    await world.pass(20_000);
    expect((await stateOf(world, ida, 'a')).phase).toBe('completed');
    await expectSound(world);
  });

  it.each(['mumbles', 'never answers', 'breaks'] as const)(
    'to one who %s end in review, with the funds held',
    async (behaviour) => {
      const world = await open();
      world.journal.plan(operationIdOf(ida, 'a'), behaviour);
      await ask(world, ida, 'a');
      world.time.advance(10_000);
      await world.turns.grantAll();
      expect((await stateOf(world, ida, 'a')).phase).toBe('review');
      await world.comeToRest();
      const log = await expectSound(world);
      expect(log.accounts.states.get(ida.accountId)).toMatchObject({ held: 2_000n });
      expect(world.journal.calls).toHaveLength(1);
    },
  );

  it('answered after somebody gave them up are noted, and move nothing', async () => {
    const world = await open({ replicas: 2 });
    world.journal.plan(operationIdOf(ida, 'a'), 'accepts too late');
    await ask(world, ida, 'a');
    // The process that called is so slow that the watchdog of the other one comes first.
    world.pause(0);
    world.time.advance(20_000);
    void world.replica(1).watchdog.tick();
    await world.turns.grantAll();
    expect((await stateOf(world, ida, 'a')).phase).toBe('review');
    world.resume(0);
    await world.turns.grantAll();
    expect(await eventsOf(world, ida, 'a')).toEqual([
      'OperationQueued',
      'IssuerCallStarted',
      'OperationSentToReview',
      'LateAnswerNoted',
    ]);
    await expectSound(world);
  });

  it('are not made any more by a process that slept over the deadline', async () => {
    const world = await open();
    const request = requestOf(ida, 'a', service);
    void world.send('operations', ida.accountId, request);
    while (!(await eventsOf(world, ida, 'a')).includes('IssuerCallStarted')) await world.turns.grant(1);
    world.time.advance(10_000);
    await world.turns.grantAll();
    expect(world.journal.calls).toEqual([]);
    expect((await stateOf(world, ida, 'a')).phase).toBe('review');
  });

  it('wait while there is no issuer, and somebody hears of it', async () => {
    const complaints: string[] = [];
    const log = { ...silentLog, error: (_details: object, message: string) => complaints.push(message) };
    const world = await open({ overrides: { log } });
    const { type, data } = requestOf(ida, 'a', service);
    await world.request('operations', ida.accountId, { type, data: { ...data, environment: 'live' } });
    await world.pass(20_000);
    expect((await stateOf(world, ida, 'a')).phase).toBe('queued');
    expect(complaints[0]).toMatch(/No live issuer is configured/);
  });

  it('have their answers stored as soon as the store can be reached again', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_details: object, message: string) => warnings.push(message) };
    const world = await open({ overrides: { log, backoff: noBackoff } });
    void world.send('operations', ida.accountId, requestOf(ida, 'a', service));
    while (world.journal.calls.length === 0) await world.turns.grant(1);
    // More than one command tries by itself.
    world.failingAppends = 7;
    while ((await stateOf(world, ida, 'a')).phase !== 'completed') {
      await world.turns.grantAll();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(warnings).toContain('Could not store the issuer response; retrying');
    await expectSound(world);
  });
});

describe('A process that is told to end', () => {
  it('starts no more calls, and waits for those under way', async () => {
    const world = await withBusyIssuer();
    await ask(world, ida, 'waiting');
    let ended = false;
    const ending = world.replica().calls.onApplicationShutdown();
    void ending.then(() => (ended = true));
    await world.turns.grantAll();
    expect(ended).toBe(false);

    const operationId = operationIdOf(ida, 'waiting');
    const advance = world.send('operations', operationId, { type: 'AdvanceOperation', data: { operationId } });
    const refused = expect(advance).rejects.toThrow(NoReply);
    await world.turns.grantAll();
    await refused;

    world.time.advance(10_000);
    await world.turns.grantAll();
    await ending;
    expect((await stateOf(world, acme, 'busy')).phase).toBe('review');
    expect((await stateOf(world, ida, 'waiting')).phase).toBe('queued');
    expect(world.journal.calls).toHaveLength(1);
  });
});
