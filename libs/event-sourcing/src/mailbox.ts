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

interface Mailbox<Item> {
  readonly items: Item[];
  /** Whether its batches are being worked on; before that it waits for the end of the turn. */
  isOpen: boolean;
}

/** So many are worth starting at once: they keep the store busy while the rest of the turn brings in more. */
const eagerItems = 32;

/**
 * One mailbox per key. Whatever arrives while a batch is being worked on waits and becomes the next batch, so that a
 * hot key turns into few large batches without any timer, and two batches of one key never run at the same time.
 *
 * A mailbox that was empty is opened at the end of this turn of the event loop, or as soon as a good number of items has
 * gathered in all of them. A busy service gets many requests in one turn: opened by the first one, a hot mailbox would
 * make all the others wait for a batch of one; opened at the very end, the store would have nothing to do until then.
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
    const mailbox = this.mailboxes.get(key);
    if (mailbox === undefined) {
      this.mailboxes.set(key, { items: [item], isOpen: false });
      this.unopened.push(key);
    } else {
      if (mailbox.items.length >= this.limits.maxWaiting) throw new MailboxFull(key);
      mailbox.items.push(item);
      if (mailbox.isOpen) return;
    }
    this.gathered += 1;
    if (this.gathered >= eagerItems) this.open();
    else this.schedule();
  }

  /** Whether nothing is waiting and nothing is under way for the key. */
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

  /** `work` settles every item of its batch and never rejects; if it did, that would be a defect worth a crash. */
  private async drain(key: string): Promise<void> {
    const mailbox = this.mailboxes.get(key)!;
    mailbox.isOpen = true;
    while (mailbox.items.length > 0) await this.work(key, mailbox.items.splice(0, this.limits.maxBatch));
    this.mailboxes.delete(key);
  }
}
