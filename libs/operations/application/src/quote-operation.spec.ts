import type { CommandReply } from '@florin/event-sourcing';
import type { CheckRefusal, OperationWish, Quote } from '@florin/operations-domain';
import { FlowWorld } from './testing/flow/flow-world';
import { acme, historyOf, ida } from './testing/flow/sample-companies';

afterEach(() => FlowWorld.closeAll());

const { companyId, companyKind, environment, accountId, holderId } = ida;
const wish: OperationWish = {
  companyId,
  companyKind,
  environment,
  accountId,
  type: 'issue',
  productId: 'card',
  amount: '100.00',
  holderId,
};

const quote = (world: FlowWorld, data: OperationWish): Promise<CommandReply<Quote, CheckRefusal>> =>
  world.request('operations', accountId, { type: 'QuoteOperation', data });

describe('QuoteOperation', () => {
  it('tells the price, whatever the account holds, and nothing happens', async () => {
    const history = await historyOf('1.00');
    const world = await FlowWorld.open({ history });
    const reply = await quote(world, wish);
    expect(reply).toMatchObject({ ok: true, answer: { amount: '100.00', fee: '3.20', total: '103.20' } });
    expect(await world.recorded()).toHaveLength(history.length);
  });

  it.each([
    [{ holderId: acme.holderId }, 'not_found'],
    [{ productId: 'gold' }, 'product_unavailable'],
    [{ amount: '9.99' }, 'amount_below_minimum'],
  ])('refuses %j as a request would be refused', async (parts, refused) => {
    const world = await FlowWorld.open({ history: await historyOf('1.00') });
    expect(await quote(world, { ...wish, ...parts })).toMatchObject({ ok: false, refusal: { refused } });
  });
});
