import { NoReply } from '@florin/event-sourcing';
import type { Message } from 'kafkajs';
import { BusOverloaded } from './kafka-command-bus-options';

export interface Letter {
  readonly topic: string;
  /** Whose topic it is; the topics of a context are made where they are missing. A reply's topic is another's to make. */
  readonly context?: string;
  readonly message: Message & { readonly value: Buffer | null };
  /** What to call it in an error message. */
  readonly what: string;
}

export interface Waiting extends Letter {
  readonly bytes: number;
  readonly deadlineMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What goes to one partition at once is one batch to the broker, which takes no more than 1 MiB unless told to. */
const maxBatchBytes = 900_000;
const maxWaitingBytes = 64 * 1024 * 1024;
/** Key and headers. */
const envelopeBytes = 400;

/** Letters in the order in which they came, as many as may wait. */
export class LetterQueue {
  private letters: Waiting[] = [];
  private size = 0;
  private bytes = 0;

  constructor(
    private readonly limits: { readonly maxWaiting: number; readonly timeoutMs: number },
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Settles when the letter leaves the queue for good. Whether it may wait at all is decided at once. */
  put(letter: Letter): Promise<void> {
    const bytes = (letter.message.value?.length ?? 0) + envelopeBytes;
    if (bytes > maxBatchBytes) return Promise.reject(tooLarge(letter.what, bytes));
    if (letter.context !== undefined && this.isFull(bytes)) return Promise.reject(new BusOverloaded(letter.what));
    this.size += 1;
    this.bytes += bytes;
    const deadlineMs = this.nowMs() + this.limits.timeoutMs;
    return new Promise((resolve, reject) => this.letters.push({ ...letter, bytes, deadlineMs, resolve, reject }));
  }

  /** Replies never ask: there are no more of them than commands under way, and without them their work was in vain. */
  private isFull(bytes: number): boolean {
    return this.size >= this.limits.maxWaiting || this.bytes + bytes > maxWaitingBytes;
  }

  /** The next batch: of all topics, or only of the one whose turn it is. Nothing overtakes within a topic. */
  take({ oneTopic }: { oneTopic: boolean }): readonly Waiting[] {
    const only = oneTopic ? this.letters[0]?.topic : undefined;
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    let bytes = 0;
    for (const letter of this.letters) {
      const isWanted = only === undefined || letter.topic === only;
      if (isWanted) bytes += letter.bytes;
      (isWanted && bytes <= maxBatchBytes ? batch : rest).push(letter);
    }
    this.letters = rest;
    return batch;
  }

  /** What was taken and could not be sent goes before everything else. */
  putBack(batch: readonly Waiting[]): void {
    this.letters = [...batch, ...this.letters];
  }

  resolve(batch: readonly Waiting[]): void {
    for (const letter of batch) {
      this.leave(letter);
      letter.resolve();
    }
  }

  rejectLate(): void {
    const nowMs = this.nowMs();
    this.reject(
      ({ deadlineMs }) => deadlineMs <= nowMs,
      ({ what }) =>
        new NoReply(`${what} was not taken by Kafka within ${this.limits.timeoutMs} ms; its outcome is unknown`),
    );
  }

  reject(isMeant: (letter: Waiting) => boolean, why: (letter: Waiting) => Error): void {
    const meant = this.letters.filter(isMeant);
    if (meant.length === 0) return;
    this.letters = this.letters.filter((letter) => !isMeant(letter));
    for (const letter of meant) {
      this.leave(letter);
      letter.reject(why(letter));
    }
  }

  private leave({ bytes }: Waiting): void {
    this.size -= 1;
    this.bytes -= bytes;
  }
}

function tooLarge(what: string, bytes: number): NoReply {
  const cause = new RangeError(`A message of ${bytes} bytes is more than the ${maxBatchBytes} that the bus carries`);
  return new NoReply(`${what} was not sent, because it is too large`, { cause });
}
