import { FairQueue, QueueFull } from './fair-queue';

const options = { slots: 3, slotsPerGroup: 2, maxWaitingPerGroup: 4 };

/** Tasks that run until they are ended, in the order in which they started. */
class Tasks {
  readonly started: string[] = [];
  readonly results: Promise<void>[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly queue: FairQueue) {}

  add(group: string, ...names: readonly string[]): void {
    for (const name of names) this.results.push(this.queue.run(group, () => this.task(name)));
  }

  async end(...names: readonly string[]): Promise<void> {
    for (const name of names) this.ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  }

  private task(name: string): Promise<void> {
    this.started.push(name);
    return new Promise((resolve) => this.ends.set(name, resolve));
  }
}

let queue: FairQueue;
let tasks: Tasks;

beforeEach(() => {
  queue = new FairQueue(options);
  tasks = new Tasks(queue);
});

describe('A fair queue', () => {
  it('leaves a free slot for other groups', () => {
    tasks.add('a', 'a1', 'a2', 'a3');
    expect(tasks.started).toEqual(['a1', 'a2']);
    tasks.add('b', 'b1');
    expect(tasks.started).toEqual(['a1', 'a2', 'b1']);
    expect([queue.inUse, queue.waiting]).toEqual([3, 1]);
  });

  it('lets waiting groups take turns', async () => {
    tasks.add('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    tasks.add('b', 'b1', 'b2', 'b3');
    tasks.add('c', 'c1');
    expect(tasks.started).toEqual(['a1', 'a2', 'b1']);
    await tasks.end('b1');
    expect(tasks.started.slice(3)).toEqual(['b2']);
    await tasks.end('a1', 'b2');
    expect(tasks.started.slice(4)).toEqual(['a3', 'c1']);
    await tasks.end('a2', 'a3', 'c1');
    expect(tasks.started.slice(6)).toEqual(['b3', 'a4', 'a5']);
  });

  it('rejects a task if too many of its group wait, and accepts those of other groups', async () => {
    tasks.add('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    await expect(queue.run('a', async () => undefined)).rejects.toBeInstanceOf(QueueFull);
    await expect(queue.run('b', async () => 'done')).resolves.toBe('done');
    const continued = queue.run('a', async () => 'continued', { always: true });
    await tasks.end('a1', 'a2');
    await tasks.end('a3', 'a4');
    await tasks.end('a5', 'a6');
    await expect(continued).resolves.toBe('continued');
    expect([queue.inUse, queue.waiting]).toEqual([0, 0]);
  });

  it('frees the slot of a failed task', async () => {
    for (let count = 0; count < 5; count++) {
      await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    await expect(queue.run('a', async () => 'done')).resolves.toBe('done');
    expect(queue.inUse).toBe(0);
  });
});
