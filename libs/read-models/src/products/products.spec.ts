import type { Product } from '@florin/operations-domain';
import { operators } from '../read-database';
import { operationsLog } from '../testing/operations-log';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { productsProjection } from './products.projection';
import { ProductQueries } from './products.queries';

let database: ReadModelDatabase;
let queries: ProductQueries;

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new ProductQueries(database.reads, upToDate);
});
afterAll(() => database.close());
beforeEach(() => database.empty('products'));

const card: Product = {
  ...{ productId: 'null', kind: 'card', name: 'Virtual "USD"', currency: 'USD', minimumAmount: '10.00' },
  fee: { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } },
  available: true,
};
const service: Product = {
  ...card,
  productId: 'esim',
  kind: 'service',
  fee: {},
  minimumAmount: '0.00',
  available: false,
};

async function historyOf(...products: readonly Product[]) {
  const log = operationsLog();
  for (const [index, product] of products.entries()) {
    const data = { ...product, requestId: `q${index}` };
    expect(await log.product({ type: 'DefineProduct', data })).toMatchObject({ ok: true });
  }
  return log.events();
}

describe('The product catalog', () => {
  it('returns the newest definition of every product, sorted by id', async () => {
    const changed = { ...card, name: 'New', minimumAmount: '12.34', fee: {}, available: false };
    await database.project(productsProjection, await historyOf(card, service));
    expect(await queries.list(operators)).toStrictEqual([service, card]);
    await database.project(productsProjection, await historyOf(card, changed));
    expect(await queries.list(operators)).toStrictEqual([service, changed]);
  });

  it('finds a product by its id', async () => {
    await database.project(productsProjection, await historyOf(card));
    expect(await queries.find('null')).toStrictEqual(card);
    expect(await queries.find('esim')).toBeUndefined();
    expect(await queries.find('\0')).toBeUndefined();
  });

  it('is the same in one batch, one by one, and with redelivered definitions', async () => {
    const events = await historyOf(card, service, { ...card, name: 'Second' }, { ...card, name: 'Third' });
    await database.project(productsProjection, events);
    const atOnce = await database.rows('products');
    expect(atOnce).toMatchObject([{ id: 'esim' }, { id: 'null', name: 'Third', revision: 2 }]);
    await database.project(productsProjection, events.slice(0, 3), [events[0]!], [...events, events[0]!]);
    expect(await database.rows('products')).toEqual(atOnce);
    await database.empty('products');
    await database.project(productsProjection, [], ...events.map((event) => [event, event]));
    expect(await database.rows('products')).toEqual(atOnce);
  });

  it('is not returned while the read model is behind', async () => {
    const stale = new ProductQueries(database.reads, behind);
    await allRejectedAsStale([stale.list(operators), stale.find('esim')]);
  });
});
