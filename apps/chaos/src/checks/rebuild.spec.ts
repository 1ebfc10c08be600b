import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { catchUp, CommandHandler, Progress } from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { serviceActor } from '@florin/kernel';
import { manualClock, testVaultKeys } from '@florin/kernel/testing';
import { accountAggregate } from '@florin/ledger-domain';
import { accountEntriesProjection } from '@florin/read-models';
import type { Evidence } from './check';
import { rebuildCheck } from './rebuild.check';

jest.setTimeout(30_000);

const accountId = 'c0ffee00-0000-4000-8000-000000000001-sandbox';

describe('The rebuild', () => {
  const databases: TestDatabase[] = [];
  let store: PostgresEventStore;
  let evidence: Evidence;

  const emptyDatabase = async () => {
    databases.push(await createTestDatabase());
    return databases.at(-1)!.connection;
  };

  beforeAll(async () => {
    const database = await emptyDatabase();
    store = new PostgresEventStore(database);
    evidence = { store, database, emptyDatabase, vaultKeys: testVaultKeys } as unknown as Evidence;
    const clock = manualClock('2030-01-01T10:00:00.000Z');
    const deposit = { depositId: 'd', reference: 'd', amount: '9.00', fee: '0.00', description: '', fingerprint: '' };
    const context = { id: 'command', headers: { correlationId: 'c', causationId: 'r', actor: serviceActor('test') } };
    const command = { type: 'DepositFunds', data: { accountId, ...deposit } } as const;
    await new CommandHandler(accountAggregate, { store, clock }).handle(accountId, command, context);
    const checkpoints = new PostgresCheckpointStore(database);
    const runtime = { store, checkpoints, progress: new Progress(), log: silentLog, isTransient: () => false };
    await catchUp(accountEntriesProjection, runtime, 1n);
    await checkpoints.close();
  });

  afterAll(async () => {
    await store.close();
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('finds no difference to the live read models, and reports a changed row', async () => {
    expect(await rebuildCheck.run(evidence)).toMatchObject({ findings: [] });
    const pool = createPool(evidence.database);
    await pool.query('UPDATE read_models.account_entries SET available = 901');
    await pool.end();
    const { findings } = await rebuildCheck.run(evidence);
    expect(findings.join('\n')).toMatch(/only the product has .*"available": 901/);
  });
});
