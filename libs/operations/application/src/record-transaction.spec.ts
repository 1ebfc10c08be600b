import type { CommandReply, RecordedEvent } from '@florin/event-sourcing';
import type { CardPayment } from '@florin/operations-domain';
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
): Promise<CommandReply<CardPayment>> => simulation.request('operations', company.accountId, commandOf(parts, company));

const balanceOf = async (simulation: OperationsSimulation, { cardId } = ida): Promise<bigint> =>
  (await simulation.log()).cards.states.get(cardId)!.balance;

describe('RecordTransaction', () => {
  it('debits the card once', async () => {
    const simulation = await open();
    expect(await record(simulation)).toEqual({ ok: true, repeated: false, answer: purchase });
    const later = { occurredAt: '2030-01-15T13:00:00.000Z' };
    expect(await record(simulation, later)).toEqual({ ok: true, repeated: true, answer: purchase });
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
