import { until } from '@florin/kernel/testing';
import { GatheredReads } from './gathered-reads';

/** Reads that end when the spec says so; each finds its keys in upper case. */
function setUp(gatherMs = 0) {
  const statements: { readonly keys: readonly string[]; end: (error?: Error) => void }[] = [];
  const begun = (count: number): Promise<void> => until(() => statements.length >= count);
  const reads = new GatheredReads<string>((keys) => {
    return new Promise((resolve, reject) => {
      const found = new Map(keys.filter((key) => key !== 'nobody').map((key) => [key, key.toUpperCase()]));
      statements.push({ keys, end: (error) => (error === undefined ? resolve(found) : reject(error)) });
    });
  }, gatherMs);
  return { statements, begun, reads };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('GatheredReads', () => {
  it.each([0, 1])(
    'reads what is asked for at the same time at once, each key once, gathering for %s ms',
    async (ms) => {
      const { statements, begun, reads } = setUp(ms);
      const found = Promise.all(['a', 'b', 'a', 'nobody'].map((key) => reads.next(key)));
      await begun(1);
      statements[0]!.end();
      expect(await found).toEqual(['A', 'B', 'A', undefined]);
      expect(statements.map(({ keys }) => keys)).toEqual([['a', 'b', 'nobody']]);
    },
  );

  it('lets others join a read of their key, and has those of other keys wait for the next', async () => {
    const { statements, begun, reads } = setUp();
    const first = reads.next('a');
    await begun(1);
    const joined = reads.join('a');
    const other = reads.join('b');
    await soon();
    expect(statements).toHaveLength(1);
    statements[0]!.end();
    expect(await Promise.all([first, joined])).toEqual(['A', 'A']);
    await begun(2);
    statements[1]!.end();
    expect(await other).toBe('B');
    expect(statements[1]!.keys).toEqual(['b']);
  });

  it('gives those who ask for the next read one that begins after they asked', async () => {
    const { statements, begun, reads } = setUp();
    const first = reads.next('a');
    await begun(1);
    const later = [reads.next('a'), reads.next('a')];
    statements[0]!.end();
    expect(await first).toBe('A');
    await begun(2);
    expect(statements[1]!.keys).toEqual(['a']);
    statements[1]!.end();
    expect(await Promise.all(later)).toEqual(['A', 'A']);
  });

  it('does not answer from a read that has ended', async () => {
    const { statements, begun, reads } = setUp();
    for (let count = 1; count <= 2; count++) {
      const found = reads.join('a');
      await begun(count);
      statements[count - 1]!.end();
      expect(await found).toBe('A');
    }
  });

  it('tells a failure to those who waited for this read, and goes on with the next', async () => {
    const { statements, begun, reads } = setUp();
    const first = reads.next('a');
    await begun(1);
    const second = reads.next('a');
    statements[0]!.end(new Error('The database is down'));
    await expect(first).rejects.toThrow('The database is down');
    await begun(2);
    statements[1]!.end();
    expect(await second).toBe('A');
  });

  it('never asks for more than one statement should, and forgets none', async () => {
    const { statements, begun, reads } = setUp();
    const keys = Array.from({ length: 1_500 }, (_, number) => `key ${number}`);
    const found = Promise.all(keys.map((key) => reads.next(key)));
    for (let count = 1; count <= 2; count++) {
      await begun(count);
      await soon();
      expect(statements).toHaveLength(count);
      statements[count - 1]!.end();
    }
    expect(await found).toEqual(keys.map((key) => key.toUpperCase()));
    expect(statements.map((statement) => statement.keys.length)).toEqual([1_000, 500]);
  });
});
