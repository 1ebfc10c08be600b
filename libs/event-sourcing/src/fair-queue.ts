/** More tasks of one group wait than the queue accepts. */
export class QueueFull extends Error {
  constructor(maxWaiting: number) {
    super(`${maxWaiting} tasks of this group wait already; repeat in a moment`);
    this.name = 'QueueFull';
  }
}

export interface FairQueueOptions {
  /** The tasks that run concurrently. */
  readonly slots: number;
  /** The slots that one group may occupy, so that a task of another group finds a free one. */
  readonly slotsPerGroup: number;
  /** The tasks of one group that may wait. */
  readonly maxWaitingPerGroup: number;
}

interface Group {
  running: number;
  readonly waiting: (() => void)[];
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

  /** `always` accepts a task even if too many of its group wait. */
  async run<Result>(name: string, task: () => Promise<Result>, { always = false } = {}): Promise<Result> {
    const group = this.groupOf(name);
    if (this.mayStart(group)) this.start(name, group);
    else await this.waitIn(group, always);
    try {
      return await task();
    } finally {
      this.end(name, group);
    }
  }

  private groupOf(name: string): Group {
    let group = this.groups.get(name);
    if (group === undefined) {
      group = { running: 0, waiting: [] };
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

  private async waitIn(group: Group, always: boolean): Promise<void> {
    const { maxWaitingPerGroup } = this.options;
    if (!always && group.waiting.length >= maxWaitingPerGroup) throw new QueueFull(maxWaitingPerGroup);
    this.queued += 1;
    await new Promise<void>((resolve) => group.waiting.push(resolve));
  }

  private end(name: string, group: Group): void {
    this.running -= 1;
    group.running -= 1;
    if (group.running === 0 && group.waiting.length === 0) this.groups.delete(name);
    this.admitNext();
  }

  /** One slot became free, so at most one task can start. It counts as running from now on. */
  private admitNext(): void {
    for (const [name, group] of this.groups) {
      if (group.waiting.length === 0 || !this.mayStart(group)) continue;
      this.queued -= 1;
      this.start(name, group);
      group.waiting.shift()!();
      return;
    }
  }
}
