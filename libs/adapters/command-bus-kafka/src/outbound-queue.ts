import { NoReply } from '@florin/event-sourcing';
import type { Message } from 'kafkajs';
import { BusOverloaded } from './kafka-command-bus-options';

export interface OutboundMessage {
  readonly topic: string;
  /** Whose topic it is; the topics of a context are made where they are missing. A reply's topic is another's to make. */
  readonly context?: string;
  readonly message: Message & { readonly value: Buffer | null };
  /** What to call it in an error message. */
  readonly label: string;
}

export interface Waiting extends OutboundMessage {
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
export class OutboundQueue {
  private messages: Waiting[] = [];
  private size = 0;
  private bytes = 0;

  constructor(
    private readonly limits: { readonly maxWaiting: number; readonly timeoutMs: number },
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Settles when the outbound leaves the queue for good. Whether it may wait at all is decided at once. */
  put(outbound: OutboundMessage): Promise<void> {
    const bytes = (outbound.message.value?.length ?? 0) + envelopeBytes;
    if (bytes > maxBatchBytes) return Promise.reject(tooLarge(outbound.label, bytes));
    if (outbound.context !== undefined && this.isFull(bytes)) return Promise.reject(new BusOverloaded(outbound.label));
    this.size += 1;
    this.bytes += bytes;
    const deadlineMs = this.nowMs() + this.limits.timeoutMs;
    return new Promise((resolve, reject) => this.messages.push({ ...outbound, bytes, deadlineMs, resolve, reject }));
  }

  /** Replies never ask: there are no more of them than commands under way, and without them their work was in vain. */
  private isFull(bytes: number): boolean {
    return this.size >= this.limits.maxWaiting || this.bytes + bytes > maxWaitingBytes;
  }

  /** The next batch: of all topics, or only of the one whose turn it is. Nothing overtakes within a topic. */
  take({ oneTopic }: { oneTopic: boolean }): readonly Waiting[] {
    const only = oneTopic ? this.messages[0]?.topic : undefined;
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    let bytes = 0;
    for (const outbound of this.messages) {
      const isWanted = only === undefined || outbound.topic === only;
      if (isWanted) bytes += outbound.bytes;
      (isWanted && bytes <= maxBatchBytes ? batch : rest).push(outbound);
    }
    this.messages = rest;
    return batch;
  }

  /** What was taken and could not be sent goes before everything else. */
  putBack(batch: readonly Waiting[]): void {
    this.messages = [...batch, ...this.messages];
  }

  resolve(batch: readonly Waiting[]): void {
    for (const outbound of batch) {
      this.leave(outbound);
      outbound.resolve();
    }
  }

  rejectExpired(): void {
    const nowMs = this.nowMs();
    this.reject(
      ({ deadlineMs }) => deadlineMs <= nowMs,
      ({ label }) =>
        new NoReply(`${label} was not taken by Kafka within ${this.limits.timeoutMs} ms; its outcome is unknown`),
    );
  }

  reject(matches: (outbound: Waiting) => boolean, why: (outbound: Waiting) => Error): void {
    const matched = this.messages.filter(matches);
    if (matched.length === 0) return;
    this.messages = this.messages.filter((outbound) => !matches(outbound));
    for (const outbound of matched) {
      this.leave(outbound);
      outbound.reject(why(outbound));
    }
  }

  private leave({ bytes }: Waiting): void {
    this.size -= 1;
    this.bytes -= bytes;
  }
}

function tooLarge(label: string, bytes: number): NoReply {
  const cause = new RangeError(`A message of ${bytes} bytes is more than the ${maxBatchBytes} that the bus carries`);
  return new NoReply(`${label} was not sent, because it is too large`, { cause });
}
