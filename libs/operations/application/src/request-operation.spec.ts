import type { RecordedEvent } from '@florin/event-sourcing';
import { shuffled } from '@florin/event-sourcing/testing';
import type { RequestOperation } from '@florin/operations-domain';
import { Cards, Products } from './aggregates';
import { expectSound } from './testing/flow/flow-invariants';
import { FlowWorld, type WorldOptions } from './testing/flow/flow-world';
import {
  acme,
  historyOf,
  ida,
  operationIdOf,
  products,
  requestOf,
  type RequestReply,
} from './testing/flow/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('5000.00');
});
afterEach(() => FlowWorld.closeAll());

const open = (options: WorldOptions = {}): Promise<FlowWorld> => FlowWorld.open({ history, ...options });

const ask = (world: FlowWorld, command: RequestOperation): Promise<RequestReply> =>
  world.request<RequestReply>('operations', command.data.accountId, command);

/** All at once, spread over the processes. */
async function askAll(world: FlowWorld, commands: readonly RequestOperation[]): Promise<RequestReply[]> {
  const replies = commands.map((command, index) =>
    world.send<RequestReply>('operations', command.data.accountId, command, index),
  );
  await world.turns.grantAll();
  return Promise.all(replies);
}

const newEventsIn = async (world: FlowWorld): Promise<string[]> =>
  (await world.recorded()).slice(history.length).map(({ type }) => type);

const outcomes = (replies: readonly RequestReply[]): string[] =>
  replies.map((reply) => (reply.ok ? 'ok' : reply.refusal.refused));

describe('RequestOperation', () => {
  it('answers once the funds are held, and the rest follows', async () => {
    const world = await open();
    const reply = await ask(world, requestOf(ida, 'a', { type: 'issue', amount: '100.00' }));
    const answer = { fee: '3.20', total: '103.20', createdAt: '2030-01-15T12:00:00.000Z' };
    expect(reply).toMatchObject({ ok: true, repeated: false, answer });
    expect(await newEventsIn(world)).toEqual([
      'FundsReserved',
      'OperationQueued',
      'IssuerCallStarted',
      'IssuerAccepted',
      'CardIssued',
      'ReservationCaptured',
      'OperationCompleted',
    ]);
    await expectSound(world);
  });

  it.each([1, 2])(
    'makes one hold and one operation of 50 identical requests at once (processes: %i)',
    async (replicas) => {
      const world = await open({ replicas, pick: shuffled(7) });
      const command = requestOf(ida, 'a', { type: 'issue', amount: '100.00' });
      const replies = await askAll(world, new Array<RequestOperation>(50).fill(command));
      expect(outcomes(replies)).toEqual(new Array(50).fill('ok'));
      expect(new Set(replies.map((reply) => reply.ok && JSON.stringify(reply.answer))).size).toBe(1);
      expect(replies.filter((reply) => reply.ok && !reply.repeated)).toHaveLength(1);
      const events = await newEventsIn(world);
      expect(events.filter((type) => type === 'FundsReserved')).toHaveLength(1);
      expect(events.filter((type) => type === 'OperationQueued')).toHaveLength(1);
      await expectSound(world);
    },
  );

  it('leaves exactly five of six holds of 1,000 at once on 5,000', async () => {
    const world = await open({ pick: shuffled(3) });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const key of keys) world.journal.plan(operationIdOf(ida, key), 'mumbles');
    const commands = keys.map((key) => requestOf(ida, key, { type: 'service', amount: '1000.00' }));
    const replies = await askAll(world, commands);
    expect(outcomes(replies).sort()).toEqual(['insufficient_funds', 'ok', 'ok', 'ok', 'ok', 'ok']);
    const log = await expectSound(world);
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 0n, held: 500_000n });
  });

  it('goes on with the order inside the hold when it died before the operation was queued', async () => {
    const world = await open();
    const command = requestOf(ida, 'a', { type: 'service', amount: '20.00' });
    world.plannedCrash = { append: 1, when: 'after' };
    void world.send('operations', ida.accountId, command);
    while (world.plannedCrash !== undefined) await world.turns.grant(1);
    // Whoever came last is served first: the new process answers the repeat before it comes to follow the log.
    world.turns.pick = (count) => count - 1;
    world.time.advance(5_000);
    const reply = await ask(world, command);
    const createdAt = '2030-01-15T12:00:00.000Z';
    expect(reply).toMatchObject({ ok: true, repeated: true, answer: { createdAt } });
    await expectSound(world);
  });
});

describe('What was accepted and is not queued yet', () => {
  const command = requestOf(ida, 'a', { type: 'topup', amount: '20.00' });

  /** The process died right after the hold, and the new one answers requests before it comes to follow the log. */
  async function heldOnly(): Promise<FlowWorld> {
    const world = await open();
    world.plannedCrash = { append: 1, when: 'after' };
    void world.send('operations', ida.accountId, command);
    while (world.plannedCrash !== undefined) await world.turns.grant(1);
    world.turns.pick = (count) => count - 1;
    return world;
  }

  const headers = { correlationId: 'c', causationId: 'c' };

  const changes: Record<string, (world: FlowWorld) => Promise<unknown>> = {
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

  it.each(Object.entries(changes))('is answered as before to whoever repeats it after %s', async (_, change) => {
    const world = await heldOnly();
    expect(await change(world)).toMatchObject({ ok: true });
    const fresh = requestOf(ida, 'b', { type: 'topup', amount: '20.00' });
    const other = requestOf(ida, 'a', { type: 'topup', amount: '30.00' });
    const replies = await askAll(world, [fresh, other, command]);
    expect(outcomes(replies)).toEqual([
      expect.stringMatching(/quote_changed|card_not_active/),
      'idempotency_conflict',
      'ok',
    ]);
    expect(replies[2]).toMatchObject({ repeated: true, answer: { operationId: command.data.operationId } });
    await expectSound(world);
  });
});

describe('The same key with another body', () => {
  const first = requestOf(ida, 'a', { type: 'service', amount: '20.00' });
  const other = requestOf(ida, 'a', { type: 'service', amount: '30.00' });

  it('is a conflict and holds nothing, while the first one is under way and after it', async () => {
    const world = await open();
    const replies = await askAll(world, [first, other]);
    expect(outcomes(replies)).toEqual(['ok', 'idempotency_conflict']);
    const before = await newEventsIn(world);
    expect(outcomes([await ask(world, other)])).toEqual(['idempotency_conflict']);
    expect(await newEventsIn(world)).toEqual(before);
    await expectSound(world);
  });

  it('is one also for a process that has not heard of the first one, and of its end', async () => {
    const world = await open({ replicas: 2 });
    const { operationId, accountId } = first.data;
    // From here on the second process remembers, for a second, that there is no such operation.
    void world.send('operations', operationId, { type: 'AdvanceOperation', data: { operationId } }, 1);
    await world.turns.grantAll();
    expect(outcomes([await ask(world, first)])).toEqual(['ok']);
    const before = await newEventsIn(world);
    const reply = world.send<RequestReply>('operations', accountId, other, 1);
    await world.turns.grantAll();
    expect(outcomes([await reply])).toEqual(['idempotency_conflict']);
    expect(await newEventsIn(world)).toEqual(before);
  });
});

describe('The monthly quota of an individually verified company', () => {
  const issue = (key: string, company = ida): RequestOperation =>
    requestOf(company, key, { type: 'issue', amount: '10.00' });

  /** 499 cards of this month are ordered already. */
  async function nearlyUsedUp(): Promise<FlowWorld> {
    const world = await open({ pick: shuffled(5) });
    const quota = { name: 'issue 2030-01', limit: 500 };
    for (let index = 1; index < 500; index++) {
      const id = `earlier-${index}`;
      const hold = { reservationId: id, reference: id, amount: '0.01', description: '', fingerprint: id, quota };
      const data = { accountId: ida.accountId, ...hold, requestedAt: '2030-01-01T00:00:00.000Z' };
      void world.send('ledger', ida.accountId, { type: 'CreateReservation', data });
    }
    await world.turns.grantAll();
    return world;
  }

  it('lets exactly one pass of the 500th and the 501st at once, and a failure frees its slot', async () => {
    const world = await nearlyUsedUp();
    world.journal.plan(operationIdOf(ida, 'a'), 'never answers');
    world.journal.plan(operationIdOf(ida, 'b'), 'never answers');
    const replies = await askAll(world, [issue('a'), issue('b')]);
    expect(outcomes(replies).sort()).toEqual(['ok', 'quota_exceeded']);
    expect(outcomes([await ask(world, issue('c'))])).toEqual(['quota_exceeded']);

    const passed = replies[0]?.ok ? 'a' : 'b';
    await world.pass(20_000);
    const resolution = { operationId: operationIdOf(ida, passed), outcome: 'failed', note: 'Not issued' };
    await world.request('operations', ida.accountId, { type: 'ResolveReview', data: resolution });
    expect(outcomes([await ask(world, issue('c'))])).toEqual(['ok']);
    expect(outcomes([await ask(world, issue('d'))])).toEqual(['quota_exceeded']);
  });

  it('begins anew with the month, counts cards only, and is none of a corporate company', async () => {
    const world = await nearlyUsedUp();
    expect(outcomes([await ask(world, issue('a'))])).toEqual(['ok']);
    expect(outcomes([await ask(world, issue('b'))])).toEqual(['quota_exceeded']);
    expect(outcomes([await ask(world, requestOf(ida, 'c', { type: 'topup', amount: '10.00' }))])).toEqual(['ok']);
    world.time.advance(17 * 24 * 3_600_000);
    expect(outcomes([await ask(world, issue('b'))])).toEqual(['ok']);
    const manyCards = await open({ overrides: { issuesPerMonth: 1 } });
    const replies = await askAll(manyCards, [issue('a', acme), issue('b', acme)]);
    expect(outcomes(replies)).toEqual(['ok', 'ok']);
  });
});

describe('A refusal', () => {
  const wish = (parts: Partial<RequestOperation['data']>, type: 'issue' | 'topup' = 'issue'): RequestOperation => {
    const command = requestOf(ida, 'a', { type, amount: '100.00' });
    return { ...command, data: { ...command.data, ...parts } };
  };

  it.each([
    ['a holder that does not exist', wish({ holderId: acme.holderId }), 'not_found'],
    ["another account's card", wish({ cardId: acme.cardId }, 'topup'), 'not_found'],
    ['a product that does not exist', wish({ productId: 'gold' }), 'product_unavailable'],
    ['another total', wish({ expectedTotal: '103.19' }), 'quote_changed'],
    ['less than the minimum', requestOf(ida, 'a', { type: 'issue', amount: '9.99' }), 'amount_below_minimum'],
    ['more than there is', requestOf(ida, 'a', { type: 'issue', amount: '5000.00' }), 'insufficient_funds'],
  ])('of %s leaves nothing behind, and the key free', async (_what, command, code) => {
    const world = await open();
    expect(outcomes([await ask(world, command)])).toEqual([code]);
    expect(await newEventsIn(world)).toEqual([]);
    expect(outcomes([await ask(world, wish({}))])).toEqual(['ok']);
  });

  it('is given on what is stored now, not on what is remembered', async () => {
    const world = await open({ replicas: 2 });
    const topup = wish({}, 'topup');
    const { cardId, accountId } = ida;
    const frozen = { type: 'FreezeCard', data: { cardId, accountId, requestId: 'freeze' } };
    await world.request('operations', accountId, frozen);
    const toSecond = async (): Promise<string[]> => {
      const reply = world.send<RequestReply>('operations', accountId, topup, 1);
      await world.turns.grantAll();
      return outcomes([await reply]);
    };
    expect(await toSecond()).toEqual(['card_not_active']);
    await world.request('operations', accountId, {
      ...frozen,
      type: 'UnfreezeCard',
      data: { ...frozen.data, requestId: 'un' },
    });
    expect(await toSecond()).toEqual(['ok']);
  });

  it('follows a changed product at once', async () => {
    const world = await open({ replicas: 2 });
    expect(outcomes([await ask(world, wish({}))])).toEqual(['ok']);
    const data = { ...products.issue, available: false, requestId: 'another' };
    await world.request('operations', data.productId, { type: 'DefineProduct', data });
    const again = requestOf(ida, 'b', { type: 'issue', amount: '10.00' });
    expect(outcomes([await ask(world, again)])).toEqual(['product_unavailable']);
  });
});
