import { until } from '@florin/kernel/testing';
import { GatheredRefreshes } from './gathered-refreshes';

/** Reads that end when the test says so. */
function setUp() {
  const reads: { readonly keys: readonly string[]; end: (error?: Error) => void }[] = [];
  const begun = (count: number): Promise<void> => until(() => reads.length >= count);
  const refreshes = new GatheredRefreshes((keys) => {
    return new Promise((resolve, reject) => {
      reads.push({ keys, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  }, 0);
  return { reads, begun, refreshes };
}

describe('GatheredRefreshes', () => {
  it('reads all that came due at once, each of them once', async () => {
    const { reads, begun, refreshes } = setUp();
    for (const key of ['a', 'b', 'a']) refreshes.ask(key);
    await begun(1);
    expect(reads[0]!.keys).toEqual(['a', 'b']);
  });

  it('does not read again what is just being read, and has the others wait for it', async () => {
    const { reads, begun, refreshes } = setUp();
    refreshes.ask('a');
    await begun(1);
    refreshes.ask('a');
    refreshes.ask('b');
    expect(reads).toHaveLength(1);
    reads[0]!.end();
    await begun(2);
    expect(reads[1]!.keys).toEqual(['b']);
  });

  it('goes on after a read that failed', async () => {
    const { reads, begun, refreshes } = setUp();
    refreshes.ask('a');
    await begun(1);
    reads[0]!.end(new Error('The database is down'));
    await new Promise(setImmediate);
    refreshes.ask('a');
    await begun(2);
    expect(reads[1]!.keys).toEqual(['a']);
  });

  it('never asks for more than one statement should, and forgets none', async () => {
    const { reads, begun, refreshes } = setUp();
    for (let number = 0; number < 1_500; number++) refreshes.ask(`key ${number}`);
    await begun(1);
    reads[0]!.end();
    await begun(2);
    expect(reads.map(({ keys }) => keys.length)).toEqual([1_000, 500]);
    expect(new Set(reads.flatMap(({ keys }) => keys)).size).toBe(1_500);
  });
});
