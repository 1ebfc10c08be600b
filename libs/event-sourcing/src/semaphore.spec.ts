import { Semaphore } from './semaphore';

/** Tasks that end when the test says so. */
function controlledTasks(semaphore: Semaphore) {
  const begun: { name: string; end: () => void; fail: (error: Error) => void }[] = [];
  const enter = (name: string): Promise<string> =>
    semaphore.pass(() => new Promise((resolve, fail) => begun.push({ name, end: () => resolve(name), fail })));
  return { begun, enter, names: () => begun.map(({ name }) => name) };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Semaphore', () => {
  it('lets so many through at once, and the next ones in the order in which they came', async () => {
    const { begun, enter, names } = controlledTasks(new Semaphore(() => 2));
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
    const { begun, enter, names } = controlledTasks(new Semaphore(() => 1));
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
    const { begun, enter } = controlledTasks(new Semaphore(() => 1, checkLine));
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
    const { begun, enter, names } = controlledTasks(new Semaphore(() => most));
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
    const { begun, enter, names } = controlledTasks(new Semaphore(() => most));
    const all = Promise.all(['a', 'b'].map(enter));
    most = 0;
    begun[0]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b']);
    begun[1]!.end();
    expect(await all).toEqual(['a', 'b']);
  });
});

describe('A semaphore that is open at times, and otherwise lets one in where it is told to', () => {
  let isOpen: boolean;
  let begun: string[];
  let endings: (() => void)[];
  let semaphore: Semaphore;
  beforeEach(() => {
    [isOpen, begun, endings] = [true, [], []];
    const checkLine = (waiting: number): void => {
      if (waiting === 3) throw new Error('too long a line');
    };
    semaphore = new Semaphore(() => (isOpen ? Infinity : 1), checkLine);
  });

  const enter = (name: string): Promise<void> =>
    semaphore.pass(() => {
      begun.push(name);
      return new Promise<void>((resolve) => endings.push(resolve));
    });

  it('lets everybody in while it is open', () => {
    for (const name of ['a', 'b', 'c']) void enter(name);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(semaphore.count).toBe(3);
  });

  it('lets one in for every grant while it is not, in the order in which they came', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    expect(begun).toEqual(['a']);
    semaphore.admit();
    semaphore.admit();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(semaphore.count).toBe(3);
  });

  it('never stands still: where nobody is inside, the next one gets in', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c']) void enter(name);
    endings[0]!();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b']);
  });

  it('lets everybody in who waited, once it is open again', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c']) void enter(name);
    isOpen = true;
    endings[0]!();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('keeps no grant for later', async () => {
    isOpen = false;
    void enter('a');
    semaphore.admit();
    void enter('b');
    await endOfTurn();
    expect(begun).toEqual(['a']);
  });

  it('lets nobody pass those who wait', async () => {
    isOpen = false;
    for (const name of ['a', 'b']) void enter(name);
    isOpen = true;
    void enter('c');
    expect(begun).toEqual(['a']);
    semaphore.admit();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('sends away whom the check of the line does not let wait', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    await expect(enter('e')).rejects.toThrow('too long a line');
  });

  it('goes on after a failure', async () => {
    isOpen = false;
    const failing = semaphore.pass(() => Promise.reject(new Error('no')));
    void enter('b');
    await expect(failing).rejects.toThrow('no');
    await endOfTurn();
    expect(begun).toEqual(['b']);
  });
});
