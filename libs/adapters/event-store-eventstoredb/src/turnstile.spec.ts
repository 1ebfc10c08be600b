import { EventStoreOverloaded, Turnstile } from './turnstile';

/** Work that ends when the test says so. */
function controlledWork(turnstile: Turnstile) {
  const begun: { name: string; end: () => void; fail: (error: Error) => void }[] = [];
  const enter = (name: string): Promise<string> =>
    turnstile.pass(() => new Promise((resolve, fail) => begun.push({ name, end: () => resolve(name), fail })));
  return { begun, enter, names: () => begun.map(({ name }) => name) };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Turnstile', () => {
  it('lets so many through at once, and the next ones in the order in which they came', async () => {
    const { begun, enter, names } = controlledWork(new Turnstile(2, 10));
    const all = Promise.all(['a', 'b', 'c', 'd'].map(enter));
    await endOfTurn();
    expect(names()).toEqual(['a', 'b']);
    begun[1]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b', 'c']);
    for (const index of [0, 2]) begun[index]!.end();
    await endOfTurn();
    begun[3]!.end();
    expect(await all).toEqual(['a', 'b', 'c', 'd']);
  });

  it('goes on after a failure, and has its place free again afterwards', async () => {
    const { begun, enter, names } = controlledWork(new Turnstile(1, 10));
    const [first, second] = [enter('a'), enter('b')];
    begun[0]!.fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await endOfTurn();
    begun[1]!.end();
    await second;
    void enter('c');
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('refuses when the line is too long', async () => {
    const { begun, enter } = controlledWork(new Turnstile(1, 1));
    const [first, second] = [enter('a'), enter('b')];
    await expect(enter('c')).rejects.toBeInstanceOf(EventStoreOverloaded);
    begun[0]!.end();
    await first;
    await endOfTurn();
    begun[1]!.end();
    expect(await second).toBe('b');
  });
});
