import type { CommandReply } from '@florin/event-sourcing';
import type { CheckRefusal, OperationRequest, Quote, QuoteOperation } from '@florin/operations-domain';
import { OperationsSimulation } from './testing/simulation/operations-simulation';
import { acme, historyOf, ida, products } from './testing/simulation/sample-companies';

afterEach(() => OperationsSimulation.closeAll());

const { companyId, companyKind, environment, accountId, holderId } = ida;
const request: OperationRequest = {
  companyId,
  companyKind,
  environment,
  accountId,
  type: 'issue',
  productId: 'card',
  amount: '100.00',
  holderId,
};

const quote = (
  simulation: OperationsSimulation,
  data: QuoteOperation['data'],
): Promise<CommandReply<Quote, CheckRefusal>> =>
  simulation.request('operations', accountId, { type: 'QuoteOperation', data });

describe('QuoteOperation', () => {
  it('returns the price without checking funds or storing events', async () => {
    const history = await historyOf('1.00');
    const simulation = await OperationsSimulation.open({ history });
    const reply = await quote(simulation, request);
    expect(reply).toMatchObject({ ok: true, answer: { amount: '100.00', fee: '3.20', total: '103.20' } });
    expect(await simulation.recorded()).toHaveLength(history.length);
  });

  it('returns the first quote for the same key, also concurrently and after a price change', async () => {
    const simulation = await OperationsSimulation.open({ history: await historyOf('1.00'), replicas: 2 });
    const repeatable = { quoteId: 'q1', fingerprint: 'f1' };
    const command = { type: 'QuoteOperation', data: { ...request, repeatable } };
    const replies = [0, 1, 0].map((to) => simulation.send<CommandReply<Quote>>('operations', accountId, command, to));
    await simulation.scheduler.runUntilIdle();
    const first = { ok: true, answer: { total: '103.20' } };
    for (const reply of replies) expect(await reply).toMatchObject(first);
    expect((await Promise.all(replies)).filter((reply) => reply.ok && reply.repeated)).toHaveLength(2);

    const data = { ...products.issue, available: false, requestId: 'later' };
    await simulation.request('operations', data.productId, { type: 'DefineProduct', data });
    expect(await quote(simulation, { ...request, repeatable })).toMatchObject({ ...first, repeated: true });
    expect(await quote(simulation, request)).toMatchObject({ ok: false, refusal: { refused: 'product_unavailable' } });
    const other = { ...request, amount: '200.00', repeatable: { ...repeatable, fingerprint: 'f2' } };
    expect(await quote(simulation, other)).toMatchObject({ ok: false, refusal: { refused: 'idempotency_conflict' } });
  });

  it('does not use up the key of a refused request', async () => {
    const simulation = await OperationsSimulation.open({ history: await historyOf('1.00') });
    const ask = (amount: string) =>
      quote(simulation, { ...request, amount, repeatable: { quoteId: 'q', fingerprint: amount } });
    expect(await ask('9.99')).toMatchObject({ ok: false, refusal: { refused: 'amount_below_minimum' } });
    expect(await ask('10.00')).toMatchObject({ ok: true, repeated: false });
  });

  it.each([
    [{ holderId: acme.holderId }, 'not_found'],
    [{ productId: 'gold' }, 'product_unavailable'],
    [{ amount: '9.99' }, 'amount_below_minimum'],
  ])('refuses %j with the code of RequestOperation', async (parts, refused) => {
    const simulation = await OperationsSimulation.open({ history: await historyOf('1.00') });
    expect(await quote(simulation, { ...request, ...parts })).toMatchObject({ ok: false, refusal: { refused } });
  });
});
