import { randomId } from '@florin/kernel';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { RevealLinks } from './reveal-links';

let database: ReadModelDatabase;
let links: RevealLinks;

beforeAll(async () => {
  database = await readModelDatabase();
  links = new RevealLinks(database.pool);
});
afterAll(() => database.close());

const card = { cardId: randomId(), last4: '0042' };
const now = new Date('2030-01-01T12:00:00.000Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);

describe('A link to the details of a card', () => {
  it('returns the card once', async () => {
    await links.add('token', card, after(60_000), now);
    const taken = await Promise.all([1, 2, 3].map(() => links.take('token', after(59_999))));
    expect(taken.filter((found) => found !== undefined)).toEqual([card]);
    expect(await links.take('token', now)).toBeUndefined();
  });

  it('returns nothing once it has expired', async () => {
    await links.add('late', card, after(60_000), now);
    expect(await links.take('late', after(60_000))).toBeUndefined();
    expect(await links.take('unknown', now)).toBeUndefined();
  });

  it('is stored as a hash, and deleted after its expiry', async () => {
    await links.add('stored', card, after(60_000), now);
    const read = async () => (await database.pool.query<{ token_hash: string }>('TABLE gateway.reveal_links')).rows;
    expect(await read()).toHaveLength(1);
    expect(JSON.stringify(await read())).not.toContain('stored');
    await links.add('next', card, after(120_000), after(60_000));
    expect(await read()).toHaveLength(1);
  });
});
