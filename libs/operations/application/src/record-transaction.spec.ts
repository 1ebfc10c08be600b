import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import { availableOn, type CardPayment, type PaymentAnswer } from '@florin/operations-domain';
import { expectInvariants } from './testing/simulation/operations-invariants';
import { OperationsSimulation, type SimulationOptions } from './testing/simulation/operations-simulation';
import { acme, historyOf, ida } from './testing/simulation/sample-companies';

let history: readonly RecordedEvent[];
beforeAll(async () => {
  history = await historyOf('100.00');
});
afterEach(() => OperationsSimulation.closeAll());

const open = (options: SimulationOptions = {}): Promise<OperationsSimulation> =>
  OperationsSimulation.open({ history, ...options });
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
  simulation: OperationsSimulation,
  parts: Partial<CardPayment> = {},
  company = ida,
): Promise<CommandReply<PaymentAnswer>> =>
  simulation.request('operations', company.accountId, commandOf(parts, company));

const balanceOf = async (simulation: OperationsSimulation, { cardId } = ida): Promise<bigint> =>
  (await simulation.log()).cards.states.get(cardId)!.balance;

describe('RecordTransaction', () => {
  it('debits the card once', async () => {
    const simulation = await open();
    const answer = { ...purchase, authorizedAmount: '20.00', clearedAmount: '20.00' };
    expect(await record(simulation)).toEqual({ ok: true, repeated: false, answer });
    const later = { occurredAt: '2030-01-15T13:00:00.000Z' };
    expect(await record(simulation, later)).toEqual({ ok: true, repeated: true, answer });
    expect(await balanceOf(simulation)).toBe(3_000n);
    await expectInvariants(simulation);
  });

  it('is declined if the balance is too low, also when repeated', async () => {
    const simulation = await open();
    const declined = { status: 'declined', amount: '50.01' };
    expect(await record(simulation, { amount: '50.01' })).toMatchObject({
      ok: true,
      repeated: false,
      answer: declined,
    });
    expect(await record(simulation, { amount: '50.01' })).toMatchObject({ ok: true, repeated: true, answer: declined });
    expect(await balanceOf(simulation)).toBe(5_000n);
  });

  it('applies a later status and returns a reversed amount', async () => {
    const simulation = await open();
    await record(simulation, { status: 'pending' });
    expect(await record(simulation)).toMatchObject({ ok: true, repeated: false, answer: { status: 'completed' } });
    expect(await record(simulation, { status: 'reversed' })).toMatchObject({
      ok: true,
      answer: { status: 'reversed' },
    });
    expect(await record(simulation, { status: 'expired' })).toMatchObject({ refusal: { refused: 'payment_settled' } });
    expect(await balanceOf(simulation)).toBe(5_000n);
  });

  it('refuses the same id for another payment or another card', async () => {
    const simulation = await open();
    await record(simulation);
    expect(await record(simulation, { amount: '1.00' })).toMatchObject({
      refusal: { refused: 'idempotency_conflict' },
    });
    expect(await record(simulation, {}, acme)).toMatchObject({ refusal: { refused: 'idempotency_conflict' } });
    expect(await balanceOf(simulation, acme)).toBe(5_000n);
  });

  it("refuses another account's card and does not use up the id", async () => {
    const simulation = await open();
    const { type, data } = commandOf();
    const stolen = { type, data: { ...data, cardId: acme.cardId } };
    const reply = await simulation.request('operations', ida.accountId, stolen);
    expect(reply).toMatchObject({ ok: false, refusal: { refused: 'not_found' } });
    expect(await simulation.recorded()).toHaveLength(history.length);
    expect(await record(simulation)).toMatchObject({ ok: true });
  });

  it('reaches the card after a crash right after the claim', async () => {
    const simulation = await open();
    simulation.plannedCrash = { append: 1, when: 'after' };
    void simulation.send('operations', ida.accountId, commandOf());
    await simulation.scheduler.runUntilIdle();
    expect(await balanceOf(simulation)).toBe(3_000n);
    await expectInvariants(simulation);
  });

  it('is not a repeat if the process reported it to the card first', async () => {
    const simulation = await open({ replicas: 2 });
    const reply = simulation.send('operations', ida.accountId, commandOf(), 1);
    while ((await simulation.recorded()).length === history.length) await simulation.scheduler.run(1);
    simulation.pause(1);
    await simulation.scheduler.runUntilIdle();
    expect(await balanceOf(simulation)).toBe(3_000n);
    simulation.resume(1);
    await simulation.scheduler.runUntilIdle();
    expect(await reply).toMatchObject({ ok: true, repeated: false });
    expect(await balanceOf(simulation)).toBe(3_000n);
  });

  it('debits the card once for concurrent reports to two processes', async () => {
    const simulation = await open({ replicas: 2 });
    const reports = [0, 1, 0, 1].map((replica) => {
      return simulation.send<CommandReply>('operations', ida.accountId, commandOf(), replica);
    });
    await simulation.scheduler.runUntilIdle();
    for (const reply of await Promise.all(reports)) expect(reply).toMatchObject({ ok: true });
    expect(await balanceOf(simulation)).toBe(3_000n);
  });
});

describe('RecordTransaction with a clearing', () => {
  const clearing = (clearingId: string, amount: string, final = true) => ({
    ...{ status: 'completed' as const, amount, clearing: { clearingId, final, amount } },
  });
  const availableOf = async (simulation: OperationsSimulation) =>
    availableOn((await simulation.log()).cards.states.get(ida.cardId)!);

  it('clears the authorization in parts, each once', async () => {
    const simulation = await open();
    await record(simulation, { status: 'pending' });
    const first = await record(simulation, clearing('k1', '5.00', false));
    expect(first).toMatchObject({ ok: true, answer: { status: 'pending', amount: '20.00', clearedAmount: '5.00' } });
    expect([await balanceOf(simulation), await availableOf(simulation)]).toEqual([4_500n, 3_000n]);
    for (const repeated of [false, true]) {
      const last = await record(simulation, clearing('k2', '7.00'));
      expect(last).toMatchObject({ ok: true, repeated, answer: { status: 'completed', clearedAmount: '12.00' } });
    }
    expect([await balanceOf(simulation), await availableOf(simulation)]).toEqual([3_800n, 3_800n]);
    await expectInvariants(simulation);
  });

  it('is a separate payment if it arrives before its authorization, which is refused afterwards', async () => {
    const simulation = await open();
    for (const repeated of [false, true]) {
      expect(await record(simulation, clearing('k1', '15.00'))).toMatchObject({
        ok: true,
        repeated,
        answer: { status: 'completed', authorizedAmount: '0.00', clearedAmount: '15.00' },
      });
    }
    const late = await record(simulation, { status: 'pending' });
    expect(late).toMatchObject({ refusal: { refused: 'idempotency_conflict' } });
    expect(await balanceOf(simulation)).toBe(3_500n);
    await expectInvariants(simulation);
  });

  it('follows its authorization, although a crash kept that from the card', async () => {
    const simulation = await open();
    simulation.plannedCrash = { append: 1, when: 'after' };
    void simulation.send('operations', ida.accountId, commandOf({ status: 'pending' }));
    while ((await simulation.recorded()).length === history.length) await simulation.scheduler.run(1);
    void simulation.send('operations', ida.accountId, commandOf(clearing('k1', '25.00')));
    await simulation.scheduler.runUntilIdle();
    expect(await record(simulation, clearing('k1', '25.00'))).toMatchObject({
      answer: { status: 'completed', authorizedAmount: '20.00', clearedAmount: '25.00' },
    });
    expect(await balanceOf(simulation)).toBe(2_500n);
    await expectInvariants(simulation);
  });

  it('debits the card once if the process stops right after the claim of a clearing without authorization', async () => {
    const simulation = await open();
    simulation.plannedCrash = { append: 1, when: 'after' };
    void simulation.send('operations', ida.accountId, commandOf(clearing('k1', '15.00')));
    await simulation.scheduler.runUntilIdle();
    expect(await balanceOf(simulation)).toBe(3_500n);
    expect(await record(simulation, clearing('k1', '15.00'))).toMatchObject({ ok: true, repeated: true });
    expect(await balanceOf(simulation)).toBe(3_500n);
    await expectInvariants(simulation);
  });

  it('reports about an existing transaction without its details', async () => {
    const simulation = await open();
    const { data } = commandOf({ status: 'reversed' });
    const reverse = { type: 'RecordTransaction', data: { ...data, fingerprint: undefined } };
    const request = () => simulation.request<CommandReply>('operations', ida.accountId, reverse);
    expect(await request()).toMatchObject({ refusal: { refused: 'not_found' } });
    await record(simulation, { status: 'pending' });
    expect(await request()).toMatchObject({ ok: true, answer: { status: 'reversed' } });
    expect(await balanceOf(simulation)).toBe(5_000n);
  });
});
