import type { PoolClient } from 'pg';
import { shadowTransaction } from './shadow-transaction';

const sent: unknown[] = [];
const tx = { query: (...args: readonly unknown[]) => sent.push(args) } as unknown as PoolClient;
const shadow = shadowTransaction(tx, 'read_models_next');

describe('The transaction of a replay', () => {
  beforeEach(() => void sent.splice(0));

  it('writes to the other schema, under other names of prepared statements', async () => {
    await shadow.query('UPDATE read_models.cards SET x = read_models.cards.x', []);
    await shadow.query({ name: 'load', text: 'SELECT FROM read_models.cards', values: [1] });
    expect(sent).toEqual([
      ['UPDATE read_models_next.cards SET x = read_models_next.cards.x', []],
      [{ name: 'replay load', text: 'SELECT FROM read_models_next.cards', values: [1] }],
    ]);
  });

  it('reads the keys of holders', async () => {
    await shadow.query('SELECT key FROM vault.holder_keys');
    expect(sent).toEqual([['SELECT key FROM vault.holder_keys']]);
  });

  it.each([
    'INSERT INTO webhooks.deliveries DEFAULT VALUES',
    'WITH sent AS (SELECT) INSERT INTO webhooks.due SELECT FROM sent',
    'INSERT INTO event_store.events DEFAULT VALUES',
    'SELECT event_store.append()',
    'UPDATE event_store.subscription_shards SET position = 1',
    'DELETE FROM gateway.reveal_links',
    'UPDATE vault.holder_keys SET key = NULL',
    'WITH keys AS (DELETE FROM vault.holder_keys RETURNING *) SELECT FROM keys',
    'SELECT replay.switch_tables()',
  ])('refuses %s', (statement) => {
    expect(() => shadow.query(statement)).toThrow('A replay may only write read models');
    expect(() => shadow.query({ name: 'n', text: statement })).toThrow('A replay may only write read models');
    expect(sent).toEqual([]);
  });

  it('refuses everything but queries', () => {
    expect(() => shadow.release()).toThrow('A projection may only query; it used release');
  });
});
