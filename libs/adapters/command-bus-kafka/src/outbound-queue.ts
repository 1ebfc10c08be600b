import { NoReply } from '@florin/event-sourcing';
import type { Message } from 'kafkajs';
import { BusOverloaded } from './kafka-command-bus-options';

export interface OutboundMessage {
  readonly topic: string;
  /**
   * The context that owns the topic. Missing topics of a context are created; a reply topic belongs to the requester.
   */
  readonly context?: string;
  readonly message: Message & { readonly value: Buffer | null };
  /** Signs the message immediately before each attempt to send it. */
  readonly sign?: (message: Message) => Message;
  /** Names the message in errors. */
  readonly label: string;
}

export interface QueuedMessage extends OutboundMessage {
  readonly bytes: number;
  readonly deadlineMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** All messages for one partition are one batch to the broker, whose default limit is 1 MiB. */
const maxBatchBytes = 900_000;
const maxWaitingBytes = 64 * 1024 * 1024;
/** Estimate for key and headers. */
const envelopeBytes = 400;

/** A bounded queue of outbound messages in the order of their arrival. */
export class OutboundQueue {
  private messages: QueuedMessage[] = [];
  private size = 0;
  private bytes = 0;

  constructor(
    private readonly limits: { readonly maxWaiting: number; readonly timeoutMs: number },
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Settles when the message has left the queue. Rejects immediately when the queue is full. */
  put(outbound: OutboundMessage): Promise<void> {
    const bytes = (outbound.message.value?.length ?? 0) + envelopeBytes;
    if (bytes > maxBatchBytes) return Promise.reject(tooLarge(outbound.label, bytes));
    if (outbound.context !== undefined && this.isFull(bytes)) return Promise.reject(new BusOverloaded(outbound.label));
    this.size += 1;
    this.bytes += bytes;
    const deadlineMs = this.nowMs() + this.limits.timeoutMs;
    return new Promise((resolve, reject) => this.messages.push({ ...outbound, bytes, deadlineMs, resolve, reject }));
  }

  /**
   * Applies to commands only. Replies are bounded by the commands in progress, and dropping one would waste finished
   * work.
   */
  private isFull(bytes: number): boolean {
    return this.size >= this.limits.maxWaiting || this.bytes + bytes > maxWaitingBytes;
  }

  /** The next batch, of all topics or only of the first message's topic. The order within a topic is kept. */
  take({ oneTopic }: { oneTopic: boolean }): readonly QueuedMessage[] {
    const only = oneTopic ? this.messages[0]?.topic : undefined;
    const batch: QueuedMessage[] = [];
    const rest: QueuedMessage[] = [];
    let bytes = 0;
    for (const outbound of this.messages) {
      const isWanted = only === undefined || outbound.topic === only;
      if (isWanted) bytes += outbound.bytes;
      (isWanted && bytes <= maxBatchBytes ? batch : rest).push(outbound);
    }
    this.messages = rest;
    return batch;
  }

  /** Puts messages that could not be sent before all others. */
  putBack(batch: readonly QueuedMessage[]): void {
    this.messages = [...batch, ...this.messages];
  }

  resolve(batch: readonly QueuedMessage[]): void {
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
        new NoReply(
          `${label} was not acknowledged by Kafka within ${this.limits.timeoutMs} ms; its outcome is unknown`,
        ),
    );
  }

  reject(matches: (outbound: QueuedMessage) => boolean, why: (outbound: QueuedMessage) => Error): void {
    const matched = this.messages.filter(matches);
    if (matched.length === 0) return;
    this.messages = this.messages.filter((outbound) => !matches(outbound));
    for (const outbound of matched) {
      this.leave(outbound);
      outbound.reject(why(outbound));
    }
  }

  private leave({ bytes }: QueuedMessage): void {
    this.size -= 1;
    this.bytes -= bytes;
  }
}

function tooLarge(label: string, bytes: number): NoReply {
  const cause = new RangeError(`A message of ${bytes} bytes exceeds the limit of ${maxBatchBytes} bytes`);
  return new NoReply(`${label} was not sent, because it is too large`, { cause });
}
