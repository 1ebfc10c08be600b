import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '../connection';
import { migrateDatabase } from '../migrations/migrate-database';
import { processStart } from '../processes/process-identity';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded-database';
import type { DatabaseRole } from '../roles/rights';
import { runningDatabase } from './running-database';
import { temporaryDataDirectory } from './temporary-data-directory';

jest.setTimeout(60_000);

describe('the database of a running Florin', () => {
  const folder = temporaryDataDirectory('florin-running-');
  let database: EmbeddedDatabase | undefined;
  const running = (role: DatabaseRole, readOnly = true) => runningDatabase(folder, role, { readOnly });
  afterAll(async () => {
    await database?.stop();
    rmSync(folder, { recursive: true });
  });

  it('does not exist while none runs', () => {
    expect(running('auditor')).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not ready while Florin starts', () => {
    const lock = join(folder, 'florin.pid');
    writeFileSync(lock, `${process.pid} ${processStart(process.pid)}\n`);
    expect(() => running('auditor')).toThrow(
      /^Florin, process \d+, is starting or stopping on the folder \S+; try again in a few seconds\.$/,
    );
    rmSync(lock);
  });

  it('can be read with the rights of a role, and not written', async () => {
    database = await openEmbeddedDatabase({ dataDirectory: folder, prepare: migrateDatabase });
    const pool = createPool(running('auditor')!, { max: 1 });
    const read = 'SELECT current_user AS "user", count(*) FROM read_models.cards';
    expect((await pool.query(read)).rows).toEqual([{ user: 'florin_auditor', count: '0' }]);
    await expect(pool.query('DELETE FROM read_models.cards')).rejects.toThrow();
    await pool.end();
    const owning = createPool(running('projector')!, { max: 1 });
    await expect(owning.query('TRUNCATE read_models.cards')).rejects.toThrow('in a read-only transaction');
    await owning.end();
    const writing = createPool(running('projector', false)!, { max: 1 });
    await writing.query('UPDATE read_models.cards SET revision = revision');
    await writing.end();
    await database.stop();
    database = undefined;
    expect(running('auditor')).toBeUndefined();
  });
});
