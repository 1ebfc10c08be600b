/** More tasks of one group wait than the queue accepts. */
export class QueueFull extends Error {
  constructor(maxWaiting: number) {
    super(`${maxWaiting} tasks of this group wait already; repeat in a moment`);
    this.name = 'QueueFull';
  }
}

/** A task got no slot in time. */
export class QueueTimeout extends Error {
  constructor(maxWaitMs: number) {
    super(`The task got no slot within ${maxWaitMs} ms; repeat in a moment`);
    this.name = 'QueueTimeout';
  }
}

/** The result of a waiting task is no longer needed. */
export class TaskCanceled extends Error {
  constructor() {
    super('The task was canceled before it started');
    this.name = 'TaskCanceled';
  }
}

/** Reports that the result of a task is no longer needed. */
export interface Cancellation {
  /** Calls the listener once, immediately if it is canceled already. Returns a function that removes the listener. */
  onCancel(listener: () => void): () => void;
}

export interface FairQueueOptions {
  /** The tasks that run concurrently. */
  readonly slots: number;
  /** The slots that one group may occupy, so that a task of another group finds a free one. */
  readonly slotsPerGroup: number;
  /** The tasks of one group that may wait. */
  readonly maxWaitingPerGroup: number;
  /** How long a task may wait; without a limit by default. */
  readonly maxWaitMs?: number;
}

export interface TaskOptions {
  /** Accepts the task even if too many of its group wait, and lets it wait without a limit. */
  readonly always?: boolean;
  /** Removes a waiting task from the queue. A running task is not affected. */
  readonly cancellation?: Cancellation;
}

interface Group {
  running: number;
  /** In the order of arrival. Each starts its task. */
  readonly waiting: Set<() => void>;
}

/** Limits how many tasks run concurrently. Groups take turns; within a group the tasks run in order of arrival. */
export class FairQueue {
  /** The groups with running or waiting tasks. The next free slot goes to the first one that may use it. */
  private readonly groups = new Map<string, Group>();
  private running = 0;
  private queued = 0;

  constructor(private readonly options: FairQueueOptions) {}

  /** The number of running tasks. */
  get inUse(): number {
    return this.running;
  }

  get waiting(): number {
    return this.queued;
  }

  /** The groups with running or waiting tasks. */
  get activeGroups(): number {
    return this.groups.size;
  }

  async run<Result>(name: string, task: () => Promise<Result>, options: TaskOptions = {}): Promise<Result> {
    const group = this.groupOf(name);
    if (this.mayStart(group)) this.start(name, group);
    else await this.waitIn(name, group, options);
    try {
      return await task();
    } finally {
      this.end(name, group);
    }
  }

  private groupOf(name: string): Group {
    let group = this.groups.get(name);
    if (group === undefined) {
      group = { running: 0, waiting: new Set() };
      this.groups.set(name, group);
    }
    return group;
  }

  private mayStart(group: Group): boolean {
    return this.running < this.options.slots && group.running < this.options.slotsPerGroup;
  }

  private start(name: string, group: Group): void {
    this.running += 1;
    group.running += 1;
    // The group that was served last is the last one to be served again.
    this.groups.delete(name);
    this.groups.set(name, group);
  }

  private waitIn(name: string, group: Group, { always = false, cancellation }: TaskOptions): Promise<void> {
    const { maxWaitingPerGroup, maxWaitMs } = this.options;
    if (!always && group.waiting.size >= maxWaitingPerGroup) return Promise.reject(new QueueFull(maxWaitingPerGroup));
    return new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let stopListening = (): void => undefined;
      const stopWaiting = (): void => {
        clearTimeout(timer);
        stopListening();
        group.waiting.delete(start);
        this.queued -= 1;
      };
      const start = (): void => {
        stopWaiting();
        resolve();
      };
      const leave = (reason: Error): void => {
        stopWaiting();
        this.forgetIfIdle(name, group);
        reject(reason);
      };
      group.waiting.add(start);
      this.queued += 1;
      if (!always && maxWaitMs !== undefined) timer = setTimeout(() => leave(new QueueTimeout(maxWaitMs)), maxWaitMs);
      if (cancellation !== undefined) stopListening = cancellation.onCancel(() => leave(new TaskCanceled()));
    });
  }

  private end(name: string, group: Group): void {
    this.running -= 1;
    group.running -= 1;
    this.forgetIfIdle(name, group);
    this.admitNext();
  }

  private forgetIfIdle(name: string, group: Group): void {
    if (group.running === 0 && group.waiting.size === 0) this.groups.delete(name);
  }

  /** One slot became free, so at most one task can start. It counts as running from now on. */
  private admitNext(): void {
    for (const [name, group] of this.groups) {
      const [next] = group.waiting;
      if (next === undefined || !this.mayStart(group)) continue;
      this.start(name, group);
      next();
      return;
    }
  }
}
