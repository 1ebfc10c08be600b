import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import type { CardPayment } from '@florin/operations-domain';
import { expectSound } from './testing/flow/flow-invariants';
import { FlowWorld, type WorldOptions } from './testing/flow/flow-world';
import { acme, historyOf, ida } from './testing/flow/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('100.00');
});
afterEach(() => FlowWorld.closeAll());

const open = (options: WorldOptions = {}): Promise<FlowWorld> => FlowWorld.open({ history, ...options });
const transactionId = '00000000-0000-4000-8000-000000000001';

const purchase: CardPayment = {
  transactionId,
  reference: 'r1',
  type: 'purchase',
  status: 'completed',
  amount: '20.00',
  currency: 'USD',
  merchant: 'Shop',
  country: 'NL',
  description: 'Coffee',
  occurredAt: '2030-01-15T11:00:00.000Z',
};

const commandOf = (parts: Partial<CardPayment> = {}, company = ida) => {
  const payment = { ...purchase, ...parts };
  const { accountId, cardId } = company;
  const fingerprint = `${payment.type} ${payment.amount}`;
  return { type: 'RecordTransaction', data: { transactionId, cardId, accountId, payment, fingerprint } };
};

const record = (
  world: FlowWorld,
  parts: Partial<CardPayment> = {},
  company = ida,
): Promise<CommandReply<CardPayment>> => world.request('operations', company.accountId, commandOf(parts, company));

const balanceOf = async (world: FlowWorld, { cardId } = ida): Promise<bigint> =>
  (await world.log()).cards.states.get(cardId)!.balance;

describe('RecordTransaction', () => {
  it('takes the money from the card, once', async () => {
    const world = await open();
    expect(await record(world)).toEqual({ ok: true, repeated: false, answer: purchase });
    const later = { occurredAt: '2030-01-15T13:00:00.000Z' };
    expect(await record(world, later)).toEqual({ ok: true, repeated: true, answer: purchase });
    expect(await balanceOf(world)).toBe(3_000n);
    await expectSound(world);
  });

  it('is declined when the card is short of it, and stays so when it is repeated', async () => {
    const world = await open();
    const declined = { status: 'declined', amount: '50.01' };
    expect(await record(world, { amount: '50.01' })).toMatchObject({ ok: true, repeated: false, answer: declined });
    expect(await record(world, { amount: '50.01' })).toMatchObject({ ok: true, repeated: true, answer: declined });
    expect(await balanceOf(world)).toBe(5_000n);
  });

  it('takes a later status of the same payment, and gives back what was reversed', async () => {
    const world = await open();
    await record(world, { status: 'pending' });
    expect(await record(world)).toMatchObject({ ok: true, repeated: false, answer: { status: 'completed' } });
    expect(await record(world, { status: 'reversed' })).toMatchObject({ ok: true, answer: { status: 'reversed' } });
    expect(await record(world, { status: 'expired' })).toMatchObject({ refusal: { refused: 'payment_settled' } });
    expect(await balanceOf(world)).toBe(5_000n);
  });

  it('refuses the same id for another payment or another card', async () => {
    const world = await open();
    await record(world);
    expect(await record(world, { amount: '1.00' })).toMatchObject({ refusal: { refused: 'idempotency_conflict' } });
    expect(await record(world, {}, acme)).toMatchObject({ refusal: { refused: 'idempotency_conflict' } });
    expect(await balanceOf(world, acme)).toBe(5_000n);
  });

  it("does not know another account's card, and leaves the id free", async () => {
    const world = await open();
    const { type, data } = commandOf();
    const stolen = { type, data: { ...data, cardId: acme.cardId } };
    const reply = await world.request('operations', ida.accountId, stolen);
    expect(reply).toMatchObject({ ok: false, refusal: { refused: 'not_found' } });
    expect(await world.recorded()).toHaveLength(history.length);
    expect(await record(world)).toMatchObject({ ok: true });
  });

  it('reaches the card even if we die right after the claim', async () => {
    const world = await open();
    world.plannedCrash = { append: 1, when: 'after' };
    void world.send('operations', ida.accountId, commandOf());
    await world.turns.grantAll();
    expect(await balanceOf(world)).toBe(3_000n);
    await expectSound(world);
  });

  it('is no repeat only because the process told the card of it first', async () => {
    const world = await open({ replicas: 2 });
    const reply = world.send('operations', ida.accountId, commandOf(), 1);
    while ((await world.recorded()).length === history.length) await world.turns.grant(1);
    world.pause(1);
    await world.turns.grantAll();
    expect(await balanceOf(world)).toBe(3_000n);
    world.resume(1);
    await world.turns.grantAll();
    expect(await reply).toMatchObject({ ok: true, repeated: false });
    expect(await balanceOf(world)).toBe(3_000n);
  });

  it('takes the money once of many reports at once, through two processes', async () => {
    const world = await open({ replicas: 2 });
    const reports = [0, 1, 0, 1].map((replica) => {
      return world.send<CommandReply>('operations', ida.accountId, commandOf(), replica);
    });
    await world.turns.grantAll();
    for (const reply of await Promise.all(reports)) expect(reply).toMatchObject({ ok: true });
    expect(await balanceOf(world)).toBe(3_000n);
  });
});
