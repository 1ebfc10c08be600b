import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { isExpected, explainListenErrors, explainDatabaseErrors, explainDataFolderErrors } from './startup-error';
import { readConfig } from './config';

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await failure(work);
  expect(isExpected(error)).toBe(true);
  return (error as Error).message;
};

describe('Startup errors', () => {
  const config = readConfig({});

  it.each([
    ['EADDRINUSE', 'Port 3000 is already in use on 127.0.0.1. Set PORT to a free one'],
    ['EACCES', 'This user is not allowed to listen on port 3000 of 127.0.0.1. Set PORT'],
    ['EADDRNOTAVAIL', '127.0.0.1 is not an address of this machine. Set HOST'],
  ])('names the variable to change: %s', async (code, expected) => {
    expect(await messageOf(explainListenErrors(config, failing(code)))).toContain(expected);
  });

  it('names the host and port of the database, but not its user and password', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    const DATABASE_URL = `postgres://ida:hunter2@127.0.0.1:${port}/florin`;
    const connect = () => new Client({ connectionString: DATABASE_URL }).connect();
    const message = await messageOf(explainDatabaseErrors(readConfig({ DATABASE_URL }), connect));
    expect(message).toContain(
      `The database of DATABASE_URL cannot be reached at 127.0.0.1:${port} (ECONNREFUSED). Start`,
    );
    expect(message).not.toMatch(/ida|hunter2/);
    const unknown = readConfig({ DATABASE_URL: 'postgresql://db.invalid/florin' });
    expect(await messageOf(explainDatabaseErrors(unknown, failing('ENOTFOUND')))).toContain(
      'at db.invalid:5432 (ENOTFOUND)',
    );
  });

  it('names the data folder if it cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'florin-start-'));
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      const make = async () => mkdirSync(path, { recursive: true });
      const message = await messageOf(explainDataFolderErrors(readConfig({ FLORIN_DATA_DIR: path }), make));
      expect(message).toMatch(/^The data folder \S+ cannot be written \(E\w+: .*\)\. Set FLORIN_DATA_DIR/);
    }
    expect(await messageOf(explainDataFolderErrors(config, failing('EROFS')))).toContain(
      'The data folder .florin cannot',
    );
    rmSync(folder, { recursive: true });
  });

  it('passes on any other error unchanged', async () => {
    for (const work of [explainListenErrors, explainDatabaseErrors, explainDataFolderErrors]) {
      const error = await failure(work(config, failing('EMFILE')));
      expect(error).toMatchObject({ code: 'EMFILE' });
      expect(isExpected(error)).toBe(false);
    }
  });
});
