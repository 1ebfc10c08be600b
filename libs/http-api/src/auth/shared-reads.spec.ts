import { SharedReads } from './shared-reads';

/** Reads that end when the spec says so. */
class ControlledReads {
  readonly running: { readonly key: string; resolve(value: string): void; reject(error: Error): void }[] = [];

  readonly read = (key: string): Promise<string> =>
    new Promise((resolve, reject) => this.running.push({ key, resolve, reject }));
}

let source: ControlledReads;
let reads: SharedReads<string>;

beforeEach(() => {
  source = new ControlledReads();
  reads = new SharedReads(source.read);
});

describe('SharedReads', () => {
  it('lets others join a running read', async () => {
    const results = [reads.join('a'), reads.join('a')];
    expect(source.running).toHaveLength(1);
    source.running[0]!.resolve('first');
    expect(await Promise.all(results)).toEqual(['first', 'first']);
  });

  it('reads anew once a read has ended', async () => {
    const first = reads.join('a');
    source.running[0]!.resolve('first');
    await first;
    const second = reads.join('a');
    source.running[1]!.resolve('second');
    expect(await second).toBe('second');
  });

  it('gives those who ask for the next read one that starts after they asked, and shares it', async () => {
    const first = reads.join('a');
    const later = [reads.next('a'), reads.next('a'), reads.next('a')];
    expect(source.running).toHaveLength(1);
    source.running[0]!.resolve('first');
    expect(await first).toBe('first');
    await new Promise(setImmediate);
    expect(source.running).toHaveLength(2);
    source.running[1]!.resolve('second');
    expect(await Promise.all(later)).toEqual(['second', 'second', 'second']);
  });

  it('reads next also after a failure', async () => {
    const first = reads.join('a');
    const next = reads.next('a');
    source.running[0]!.reject(new Error('down'));
    await expect(first).rejects.toThrow('down');
    await new Promise(setImmediate);
    source.running[1]!.resolve('second');
    expect(await next).toBe('second');
  });

  it('keeps keys apart', () => {
    void reads.join('a');
    void reads.join('b');
    expect(source.running.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
