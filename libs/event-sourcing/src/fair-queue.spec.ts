import { type Cancellation, FairQueue, QueueFull, QueueTimeout, TaskCanceled } from './fair-queue';

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

/** A client that can disconnect. */
class Client implements Cancellation {
  readonly listeners = new Set<() => void>();
  private isGone = false;

  onCancel(listener: () => void): () => void {
    if (this.isGone) listener();
    else this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  disconnect(): void {
    this.isGone = true;
    for (const listener of this.listeners) listener();
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

  it('gives the place of a canceled task to the next one', async () => {
    tasks.add('a', 'a1', 'a2');
    const client = new Client();
    const canceled = [1, 2, 3, 4].map(() => queue.run('a', async () => undefined, { cancellation: client }));
    await expect(queue.run('a', async () => undefined)).rejects.toBeInstanceOf(QueueFull);
    client.disconnect();
    for (const each of canceled) await expect(each).rejects.toBeInstanceOf(TaskCanceled);
    expect([queue.waiting, client.listeners.size]).toEqual([0, 0]);
    tasks.add('a', 'a3', 'a4', 'a5', 'a6');
    await tasks.end('a1');
    expect(tasks.started).toEqual(['a1', 'a2', 'a3']);
  });

  it('rejects a task that is canceled before it waits', async () => {
    tasks.add('a', 'a1', 'a2');
    const client = new Client();
    client.disconnect();
    await expect(queue.run('a', async () => undefined, { cancellation: client })).rejects.toBeInstanceOf(TaskCanceled);
    expect(queue.waiting).toBe(0);
  });

  it('does not listen to the client of a task that runs', async () => {
    tasks.add('a', 'a1', 'a2');
    const client = new Client();
    const started = queue.run('a', async () => client.listeners.size, { cancellation: client });
    expect(client.listeners.size).toBe(1);
    await tasks.end('a1');
    await expect(started).resolves.toBe(0);
  });

  it('rejects a task that waits too long, unless it must be accepted', async () => {
    queue = new FairQueue({ ...options, maxWaitMs: 20 });
    tasks = new Tasks(queue);
    tasks.add('a', 'a1', 'a2');
    const continued = queue.run('a', async () => 'continued', { always: true });
    await expect(queue.run('a', async () => undefined)).rejects.toBeInstanceOf(QueueTimeout);
    expect(queue.waiting).toBe(1);
    await tasks.end('a1');
    await expect(continued).resolves.toBe('continued');
  });

  it('keeps nothing of groups without tasks', async () => {
    const client = new Client();
    tasks.add('a', 'a1', 'a2');
    tasks.add('b', 'b1');
    const canceled = Array.from({ length: 100 }, (_, number) =>
      queue.run(`group-${number}`, async () => undefined, { cancellation: client }),
    );
    expect(queue.activeGroups).toBe(102);
    client.disconnect();
    await Promise.allSettled(canceled);
    expect(queue.activeGroups).toBe(2);
    await tasks.end('a1', 'a2', 'b1');
    expect(queue.activeGroups).toBe(0);
  });
});
