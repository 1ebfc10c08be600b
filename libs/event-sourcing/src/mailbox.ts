/** Too many commands are waiting for one stream: the caller should back off and repeat. */
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

interface Mailbox<Item> {
  readonly items: Item[];
  /** Whether its batches are being processed; before that it waits for the end of the turn. */
  isOpen: boolean;
}

/** With this many items, processing starts before the end of the turn, which keeps the store busy. */
const eagerItems = 32;

/**
 * One mailbox per key. Items that arrive while a batch is processed form the next batch. A busy key therefore results
 * in few large batches without any timer, and two batches of one key never run concurrently.
 *
 * A new mailbox is opened at the end of this event loop turn, or as soon as enough items have arrived in all mailboxes.
 * A busy service gets many requests in one turn: if the first one opened the mailbox, all others would wait for a batch
 * of one; if it always waited for the end of the turn, the store would be idle until then.
 */
export class Mailboxes<Item> {
  private readonly mailboxes = new Map<string, Mailbox<Item>>();
  private unopened: string[] = [];
  private gathered = 0;
  private isScheduled = false;

  constructor(
    private readonly work: (key: string, batch: readonly Item[]) => Promise<void>,
    private readonly limits: MailboxLimits,
  ) {}

  put(key: string, item: Item): void {
    this.putAll(key, [item]);
  }

  /** Puts all items or none. No other item gets between them. */
  putAll(key: string, items: readonly Item[]): void {
    const mailbox = this.mailboxes.get(key);
    if ((mailbox?.items.length ?? 0) + items.length > this.limits.maxWaiting) throw new MailboxFull(key);
    if (mailbox === undefined) {
      this.mailboxes.set(key, { items: [...items], isOpen: false });
      this.unopened.push(key);
    } else {
      mailbox.items.push(...items);
      if (mailbox.isOpen) return;
    }
    this.gathered += items.length;
    if (this.gathered >= eagerItems) this.open();
    else this.schedule();
  }

  /** Whether no item of the key is waiting or being processed. */
  isIdle(key: string): boolean {
    return !this.mailboxes.has(key);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.open();
    });
  }

  private open(): void {
    const keys = this.unopened;
    this.unopened = [];
    this.gathered = 0;
    for (const key of keys) void this.drain(key);
  }

  /** `work` settles every item of its batch and never rejects; a rejection would be a bug that crashes the process. */
  private async drain(key: string): Promise<void> {
    const mailbox = this.mailboxes.get(key)!;
    mailbox.isOpen = true;
    while (mailbox.items.length > 0) await this.work(key, mailbox.items.splice(0, this.limits.maxBatch));
    this.mailboxes.delete(key);
  }
}
