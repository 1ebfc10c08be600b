import { Semaphore } from './semaphore';

/** Tasks that the test completes. */
function controlledTasks(semaphore: Semaphore) {
  const begun: { name: string; end: () => void; fail: (error: Error) => void }[] = [];
  const enter = (name: string): Promise<string> =>
    semaphore.run(() => new Promise((resolve, fail) => begun.push({ name, end: () => resolve(name), fail })));
  return { begun, enter, names: () => begun.map(({ name }) => name) };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Semaphore', () => {
  it('runs a limited number of tasks concurrently and the others in order', async () => {
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

  it('frees its slot when a task fails', async () => {
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

  it('rejects a task when the queue check throws', async () => {
    const checkQueue = (waiting: number): void => {
      if (waiting >= 1) throw new Error('too many');
    };
    const { begun, enter } = controlledTasks(new Semaphore(() => 1, checkQueue));
    const [first, second] = [enter('a'), enter('b')];
    await expect(enter('c')).rejects.toThrow('too many');
    begun[0]!.end();
    await first;
    await endOfTurn();
    begun[1]!.end();
    expect(await second).toBe('b');
  });

  it('follows a limit that changes', async () => {
    let limit = 1;
    const { begun, enter, names } = controlledTasks(new Semaphore(() => limit));
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(enter));
    expect(names()).toEqual(['a']);
    limit = 3;
    begun[0]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    limit = 1;
    begun[1]!.end();
    begun[2]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    begun[3]!.end();
    await endOfTurn();
    begun[4]!.end();
    expect(await all).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('always admits at least one task', async () => {
    let limit = 1;
    const { begun, enter, names } = controlledTasks(new Semaphore(() => limit));
    const all = Promise.all(['a', 'b'].map(enter));
    limit = 0;
    begun[0]!.end();
    await endOfTurn();
    expect(names()).toEqual(['a', 'b']);
    begun[1]!.end();
    expect(await all).toEqual(['a', 'b']);
  });
});

describe('A semaphore with explicit admissions', () => {
  let isOpen: boolean;
  let begun: string[];
  let endings: (() => void)[];
  let semaphore: Semaphore;
  beforeEach(() => {
    [isOpen, begun, endings] = [true, [], []];
    const checkQueue = (waiting: number): void => {
      if (waiting === 3) throw new Error('queue too long');
    };
    semaphore = new Semaphore(() => (isOpen ? Infinity : 1), checkQueue);
  });

  const enter = (name: string): Promise<void> =>
    semaphore.run(() => {
      begun.push(name);
      return new Promise<void>((resolve) => endings.push(resolve));
    });

  it('admits all tasks while the limit is infinite', () => {
    for (const name of ['a', 'b', 'c']) void enter(name);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(semaphore.count).toBe(3);
  });

  it('admits one task per call of admit, in order', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    expect(begun).toEqual(['a']);
    semaphore.admit();
    semaphore.admit();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(semaphore.count).toBe(3);
  });

  it('admits the next task when none is running', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c']) void enter(name);
    endings[0]!();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b']);
  });

  it('admits all waiting tasks when the limit is lifted', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c']) void enter(name);
    isOpen = true;
    endings[0]!();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('ignores admit when no task is waiting', async () => {
    isOpen = false;
    void enter('a');
    semaphore.admit();
    void enter('b');
    await endOfTurn();
    expect(begun).toEqual(['a']);
  });

  it('does not let a new task overtake waiting ones', async () => {
    isOpen = false;
    for (const name of ['a', 'b']) void enter(name);
    isOpen = true;
    void enter('c');
    expect(begun).toEqual(['a']);
    semaphore.admit();
    await endOfTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('rejects a task when the queue check throws', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    await expect(enter('e')).rejects.toThrow('queue too long');
  });

  it('continues after a failure', async () => {
    isOpen = false;
    const failing = semaphore.run(() => Promise.reject(new Error('no')));
    void enter('b');
    await expect(failing).rejects.toThrow('no');
    await endOfTurn();
    expect(begun).toEqual(['b']);
  });
});
