import { Turnstile } from './turnstile';

/** Tasks that end when the test says so. */
function controlledTasks(turnstile: Turnstile) {
  const begun: { name: string; end: () => void; fail: (error: Error) => void }[] = [];
  const enter = (name: string): Promise<string> =>
    turnstile.pass(() => new Promise((resolve, fail) => begun.push({ name, end: () => resolve(name), fail })));
  return { begun, enter, names: () => begun.map(({ name }) => name) };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Turnstile', () => {
  it('lets so many through at once, and the next ones in the order in which they came', async () => {
    const { begun, enter, names } = controlledTasks(new Turnstile(() => 2));
    const all = Promise.all(['a', 'b', 'c', 'd'].map(enter));
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
    const { begun, enter, names } = controlledTasks(new Turnstile(() => 1));
    const [first, second] = [enter('a'), enter('b')];
    begun[0]!.fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await endOfTurn();
    begun[1]!.end();
    await second;
    void enter('c');
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('sends away whom the check of the line does not let wait', async () => {
    const checkLine = (waiting: number): void => {
      if (waiting >= 1) throw new Error('too many');
    };
    const { begun, enter } = controlledTasks(new Turnstile(() => 1, checkLine));
    const [first, second] = [enter('a'), enter('b')];
    await expect(enter('c')).rejects.toThrow('too many');
    begun[0]!.end();
    await first;
    await endOfTurn();
    begun[1]!.end();
    expect(await second).toBe('b');
  });

  it('lets more through as soon as it may, and fewer when it may no longer', async () => {
    let most = 1;
    const { begun, enter, names } = controlledTasks(new Turnstile(() => most));
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(enter));
    expect(names()).toEqual(['a']);
    most = 3;
    begun[0]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    most = 1;
    begun[1]!.end();
    begun[2]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    begun[3]!.end();
    await endOfTurn();
    begun[4]!.end();
    expect(await all).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('lets nobody wait for ever, whatever it is told', async () => {
    let most = 1;
    const { begun, enter, names } = controlledTasks(new Turnstile(() => most));
    const all = Promise.all(['a', 'b'].map(enter));
    most = 0;
    begun[0]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b']);
    begun[1]!.end();
    expect(await all).toEqual(['a', 'b']);
  });
});
