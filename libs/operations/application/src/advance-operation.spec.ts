import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import type { OperationAnswer, OperationRefusal } from '@florin/operations-domain';
import { expectSound } from './testing/flow/flow-invariants';
import { FlowWorld, type WorldOptions } from './testing/flow/flow-world';
import { historyOf, ida, operationIdOf, type RequestParts, requestOf } from './testing/flow/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('1000.00');
});
afterEach(() => FlowWorld.closeAll());

const open = (options: WorldOptions = {}): Promise<FlowWorld> => FlowWorld.open({ history, ...options });
const operationId = operationIdOf(ida, 'a');
const issue: RequestParts = { type: 'issue', amount: '100.00' };

async function inReview(options?: WorldOptions): Promise<FlowWorld> {
  const world = await open(options);
  world.journal.plan(operationId, 'mumbles');
  await world.request('operations', ida.accountId, requestOf(ida, 'a', issue));
  return world;
}

const resolve = (world: FlowWorld, outcome: string): Promise<CommandReply<OperationAnswer, OperationRefusal>> =>
  world.request('operations', operationId, { type: 'ResolveReview', data: { operationId, outcome, note: 'Seen' } });

describe('An operator who resolves a review', () => {
  it('as completed sees the card issued and the hold captured', async () => {
    const world = await inReview();
    expect(await resolve(world, 'completed')).toMatchObject({ ok: true, answer: { status: 'completed' } });
    const log = await expectSound(world);
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 89_680n, held: 0n });
    expect(log.cards.events.filter(({ type }) => type === 'CardIssued')).toHaveLength(3);
    expect(world.journal.calls).toHaveLength(1);
  });

  it('as failed sees the hold released', async () => {
    const world = await inReview();
    expect(await resolve(world, 'failed')).toMatchObject({ ok: true, answer: { status: 'failed' } });
    const log = await expectSound(world);
    expect(log.accounts.states.get(ida.accountId)).toMatchObject({ available: 100_000n, held: 0n });
    expect(log.cards.events.filter(({ type }) => type === 'CardIssued')).toHaveLength(2);
  });

  it.each([
    ['completed', 'failed'],
    ['failed', 'completed'],
  ])('as %s can repeat that, and is refused the contrary', async (outcome, contrary) => {
    const world = await inReview();
    await resolve(world, outcome);
    const before = await world.store.head();
    expect(await resolve(world, outcome)).toMatchObject({ ok: true, repeated: true, answer: { status: outcome } });
    expect(await resolve(world, contrary)).toMatchObject({ ok: false, refusal: { refused: 'review_resolved' } });
    expect(await world.store.head()).toBe(before);
  });

  it('both ways at once is obeyed once', async () => {
    const world = await inReview({ replicas: 2 });
    const replies = ['completed', 'failed'].map((outcome, replica) => {
      const data = { operationId, outcome, note: 'Seen' };
      return world.send<CommandReply>('operations', operationId, { type: 'ResolveReview', data }, replica);
    });
    await world.turns.grantAll();
    const refusals = (await Promise.all(replies)).flatMap((reply) => (reply.ok ? [] : [reply.refusal.refused]));
    expect(refusals).toEqual(['review_resolved']);
    await expectSound(world);
  });

  it('is refused where there is nothing to resolve', async () => {
    const world = await open();
    expect(await resolve(world, 'failed')).toMatchObject({ ok: false, refusal: { refused: 'operation_unknown' } });
    await world.request('operations', ida.accountId, requestOf(ida, 'a', issue));
    expect(await resolve(world, 'failed')).toMatchObject({ ok: false, refusal: { refused: 'wrong_phase' } });
  });
});

describe('AdvanceOperation', () => {
  const advance = { type: 'AdvanceOperation', data: { operationId } };

  it('does nothing with an operation that is at rest, or that does not exist', async () => {
    const world = await inReview();
    const before = await world.store.head();
    expect(await world.request('operations', operationId, advance)).toMatchObject({ ok: true, repeated: true });
    const unknown = { ...advance, data: { operationId: operationIdOf(ida, 'unknown') } };
    expect(await world.request('operations', 'unknown', unknown)).toMatchObject({ ok: true, repeated: true });
    expect(await world.store.head()).toBe(before);
  });

  it('finds out what another process has written meanwhile', async () => {
    const world = await inReview({ replicas: 2 });
    const toSecond = async (): Promise<unknown> => {
      const reply = world.send('operations', operationId, advance, 1);
      await world.turns.grantAll();
      return reply;
    };
    // From here on the second process remembers that a person has to decide.
    expect(await toSecond()).toMatchObject({ ok: true, repeated: true });
    world.plannedCrash = { append: world.appends + 1, when: 'after' };
    const data = { operationId, outcome: 'completed', note: 'Seen' };
    void world.send('operations', operationId, { type: 'ResolveReview', data });
    while (world.plannedCrash !== undefined) await world.turns.grant(1);
    world.pause(0);
    expect(await toSecond()).toMatchObject({ ok: true, repeated: false });
    expect((await world.log()).operations.states.get(operationId)?.phase).toBe('completed');
  });

  it('tells of a hold that ended the other way, and moves nothing', async () => {
    const complaints: string[] = [];
    const log = { ...silentLog, error: (_details: object, message: string) => complaints.push(message) };
    const world = await inReview({ overrides: { log } });
    const { accountId } = ida;
    const release = { type: 'ReleaseReservation', data: { accountId, reservationId: operationId } };
    await world.request('ledger', accountId, release);
    expect(await resolve(world, 'completed')).toMatchObject({ ok: true, answer: { status: 'manual_review' } });
    const refusal = { refused: 'reservation_released' };
    expect(await world.request('operations', operationId, advance)).toMatchObject({ ok: false, refusal });
    await world.pass(20_000);
    expect(complaints).toEqual([
      'A command failed and was passed over for now',
      'An operation cannot be moved on; look into it',
    ]);
    const account = (await world.log()).accounts.states.get(accountId);
    expect(account).toMatchObject({ available: 100_000n, held: 0n });
  });
});
