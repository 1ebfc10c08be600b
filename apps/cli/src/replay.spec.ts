import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { runLine } from './testing/run-line';
import { type StoredBooks, storedBooks } from './testing/stored-books';

jest.setTimeout(30_000);

let books: StoredBooks;

beforeAll(async () => {
  books = await storedBooks();
});
afterAll(() => books.close());

const run = (...args: readonly string[]) => runLine(['replay', ...args], books.environment);
const entries = async () =>
  (await books.pool.query('SELECT * FROM read_models.account_entries ORDER BY sequence')).rows as readonly unknown[];

describe('florin replay', () => {
  it('makes the read models anew that are named', async () => {
    const before = await entries();
    await books.pool.query(`UPDATE read_models.account_entries SET kind = 'forged'`);
    await books.pool.query('DELETE FROM read_models.operations');
    const { exitCode, out } = await run('account-entries', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual({
      readModels: [{ name: 'account-entries', events: 6, seconds: expect.any(Number) as number }],
    });
    expect(await entries()).toEqual(before);
    expect((await runLine(['audit'], books.environment)).out).toMatch(/lacks \S+ \(completed\)/);
  });

  it('makes all of them anew when none is named', async () => {
    const { exitCode, out } = await run();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^READ MODEL +EVENTS +SECONDS\n/);
    expect(out).toMatch(/\noperations +12 +\d/);
    expect(out).not.toContain('webhooks');
    expect(await runLine(['audit'], books.environment)).toMatchObject({ exitCode: 0 });
  });

  it('refuses what it cannot make anew, before it touches anything', async () => {
    expect(await run('account-entries', 'webhooks')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/webhooks is not made anew: what was delivered is told by no event/) as string,
    });
    expect(await run('process operations')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/There is no read model process operations; choose from companies, /) as string,
    });
  });

  it('is refused beside a running projector, with what to stop', async () => {
    const before = await entries();
    const projector = new PostgresCheckpointStore({ connectionString: books.environment.DATABASE_URL });
    await projector.join('account-entries', 1);
    const { exitCode, err } = await run();
    expect(exitCode).toBe(1);
    expect(err).toMatch(
      /A running projector has account-entries in hand, and nothing was changed\. Stop whatever runs/,
    );
    expect(await entries()).toEqual(before);
    await projector.close();
    expect(await run('account-entries')).toMatchObject({ exitCode: 0 });
  });
});
