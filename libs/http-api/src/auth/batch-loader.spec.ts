import { until } from '@florin/kernel/testing';
import { batchLoader, type BatchLoaderOptions } from './batch-loader';

/** Reads that the spec completes; each returns its keys in upper case. */
function setUp(options: Partial<BatchLoaderOptions> = {}) {
  const statements: { readonly keys: readonly string[]; end: (error?: Error) => void }[] = [];
  const begun = (count: number): Promise<void> => until(() => statements.length >= count);
  const load = batchLoader<string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const found = new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key.toUpperCase()]));
        statements.push({ keys, end: (error) => (error === undefined ? resolve(found) : reject(error)) });
      }),
    { joinRunningRead: false, ...options },
  );
  return { statements, begun, load };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('batchLoader', () => {
  it.each([0, 1])('reads keys requested together in one statement, collecting for %s ms', async (collectMs) => {
    const { statements, begun, load } = setUp({ collectMs });
    const found = Promise.all(['a', 'b', 'a', 'unknown'].map((key) => load(key)));
    await begun(1);
    statements[0]!.end();
    expect(await found).toEqual(['A', 'B', 'A', undefined]);
    expect(statements.map(({ keys }) => keys)).toEqual([['a', 'b', 'unknown']]);
  });

  it('joins a running read of the same key, and reads other keys afterwards', async () => {
    const { statements, begun, load } = setUp({ joinRunningRead: true });
    const first = load('a');
    await begun(1);
    const joined = load('a');
    const other = load('b');
    await nextTurn();
    expect(statements).toHaveLength(1);
    statements[0]!.end();
    expect(await Promise.all([first, joined])).toEqual(['A', 'A']);
    await begun(2);
    statements[1]!.end();
    expect(await other).toBe('B');
    expect(statements[1]!.keys).toEqual(['b']);
  });

  it('starts a new read for every call during a running one, unless it may join', async () => {
    const { statements, begun, load } = setUp();
    const first = load('a');
    await begun(1);
    const later = [load('a'), load('a')];
    statements[0]!.end();
    expect(await first).toBe('A');
    await begun(2);
    expect(statements[1]!.keys).toEqual(['a']);
    statements[1]!.end();
    expect(await Promise.all(later)).toEqual(['A', 'A']);
  });

  it.each([true, false])('does not reuse the result of a read that has ended (joinRunningRead: %s)', async (join) => {
    const { statements, begun, load } = setUp({ joinRunningRead: join });
    for (let count = 1; count <= 2; count++) {
      const found = load('a');
      await begun(count);
      statements[count - 1]!.end();
      expect(await found).toBe('A');
    }
  });

  it.each([true, false])('rejects the calls of a failed read and runs the next (joinRunningRead: %s)', async (join) => {
    const { statements, begun, load } = setUp({ joinRunningRead: join });
    const first = load('a');
    await begun(1);
    const second = load('b');
    statements[0]!.end(new Error('The database is down'));
    await expect(first).rejects.toThrow('The database is down');
    await begun(2);
    statements[1]!.end();
    expect(await second).toBe('B');
  });

  it('reads the same key again after a failure that happened meanwhile', async () => {
    const { statements, begun, load } = setUp();
    const first = load('a');
    await begun(1);
    const second = load('a');
    statements[0]!.end(new Error('The database is down'));
    await expect(first).rejects.toThrow('The database is down');
    await begun(2);
    statements[1]!.end();
    expect(await second).toBe('A');
  });

  it('reads at most 1,000 keys per statement, and one statement at a time', async () => {
    const { statements, begun, load } = setUp();
    const keys = Array.from({ length: 1_500 }, (_, number) => `key ${number}`);
    const found = Promise.all(keys.map((key) => load(key)));
    for (let count = 1; count <= 2; count++) {
      await begun(count);
      await nextTurn();
      expect(statements).toHaveLength(count);
      statements[count - 1]!.end();
    }
    expect(await found).toEqual(keys.map((key) => key.toUpperCase()));
    expect(statements.map((statement) => statement.keys.length)).toEqual([1_000, 500]);
  });
});
