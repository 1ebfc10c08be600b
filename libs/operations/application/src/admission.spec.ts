import { Admission } from './admission';

describe('Admission', () => {
  let isOpen: boolean;
  let begun: string[];
  let endings: (() => void)[];
  let admission: Admission;
  beforeEach(() => {
    [isOpen, begun, endings] = [true, [], []];
    const checkLine = (waiting: number): void => {
      if (waiting === 3) throw new Error('too long a line');
    };
    admission = new Admission(() => isOpen, checkLine);
  });

  const enter = (name: string): Promise<void> =>
    admission.pass(() => {
      begun.push(name);
      return new Promise<void>((resolve) => endings.push(resolve));
    });
  const settle = (): Promise<void> => new Promise(setImmediate);

  it('lets everybody in while it is open', () => {
    for (const name of ['a', 'b', 'c']) void enter(name);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(admission.count).toBe(3);
  });

  it('lets one in for every grant while it is not, in the order in which they came', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    expect(begun).toEqual(['a']);
    admission.grant();
    admission.grant();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(admission.count).toBe(3);
  });

  it('never stands still: where nobody is inside, the next one gets in', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c']) void enter(name);
    endings[0]!();
    await settle();
    expect(begun).toEqual(['a', 'b']);
  });

  it('lets everybody in who waited, once it is open again', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c']) void enter(name);
    isOpen = true;
    endings[0]!();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('keeps no grant for later', async () => {
    isOpen = false;
    void enter('a');
    admission.grant();
    void enter('b');
    await settle();
    expect(begun).toEqual(['a']);
  });

  it('lets nobody pass those who wait', async () => {
    isOpen = false;
    for (const name of ['a', 'b']) void enter(name);
    isOpen = true;
    void enter('c');
    expect(begun).toEqual(['a']);
    admission.grant();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('sends away whom the check of the line does not let wait', async () => {
    isOpen = false;
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    await expect(enter('e')).rejects.toThrow('too long a line');
  });

  it('goes on after a failure', async () => {
    isOpen = false;
    const failing = admission.pass(() => Promise.reject(new Error('no')));
    void enter('b');
    await expect(failing).rejects.toThrow('no');
    await settle();
    expect(begun).toEqual(['b']);
  });
});
