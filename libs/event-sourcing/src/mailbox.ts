/** Too much is waiting for one stream: the caller should back off and repeat. */
export class MailboxFull extends Error {
  constructor(key: string) {
    super(`Too many commands are waiting for ${key}; repeat in a moment with the same id`);
    this.name = 'MailboxFull';
  }
}

export interface MailboxLimits {
  readonly maxWaiting: number;
  readonly maxBatch: number;
}

/**
 * One mailbox per key. Whatever arrives while a batch is being worked on waits and becomes the next batch, so that a
 * hot key turns into few large batches without any timer, and two batches of one key never run at the same time.
 */
export class Mailboxes<Item> {
  private readonly waiting = new Map<string, Item[]>();

  constructor(
    private readonly work: (key: string, batch: readonly Item[]) => Promise<void>,
    private readonly limits: MailboxLimits,
  ) {}

  put(key: string, item: Item): void {
    const queue = this.waiting.get(key);
    if (queue === undefined) {
      this.waiting.set(key, [item]);
      void this.drain(key);
      return;
    }
    if (queue.length >= this.limits.maxWaiting) throw new MailboxFull(key);
    queue.push(item);
  }

  /** Whether nothing is waiting and nothing is under way for the key. */
  isIdle(key: string): boolean {
    return !this.waiting.has(key);
  }

  /** `work` settles every item of its batch and never rejects; if it did, that would be a defect worth a crash. */
  private async drain(key: string): Promise<void> {
    const queue = this.waiting.get(key)!;
    while (queue.length > 0) await this.work(key, queue.splice(0, this.limits.maxBatch));
    this.waiting.delete(key);
  }
}
