import { NoReply } from '@florin/event-sourcing';
import { BusOverloaded } from './kafka-command-bus-options';
import type { MessageSigner } from './message-signer';
import { SupervisedConsumer, type SupervisionOptions } from './supervised-consumer';
import type { Topics } from './topics';
import { decodeReply, failureOf, type Reply, type ReplyAddress } from './wire';
import type { KafkaMessage } from 'kafkajs';

export interface ReplyConsumerOptions extends SupervisionOptions {
  readonly topics: Topics;
  readonly signer: MessageSigner;
  readonly onRejected: (reason: string) => void;
  readonly maxWaiting: number;
  readonly timeoutMs: number;
  readonly onLost: (error: Error) => void;
}

interface Pending {
  readonly label: string;
  /** The context that has to reply. */
  readonly context: string;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export interface PendingReply<Answer> {
  readonly address: ReplyAddress;
  readonly answer: Promise<Answer>;
  /** Call it when the request could not be sent: no reply will arrive. */
  readonly fail: (error: Error) => void;
}

/** Receives the replies to the requests of this instance on the instance's own topic. */
export class ReplyConsumer {
  readonly topic: string;
  private readonly consumer: SupervisedConsumer;
  private readonly pending = new Map<string, Pending>();
  private requests = 0;
  private next: number | undefined;

  constructor(private readonly options: ReplyConsumerOptions) {
    const { topics } = options;
    this.topic = topics.newReplyTopic();
    this.consumer = new SupervisedConsumer(
      {
        topic: this.topic,
        groupId: this.topic,
        concurrentPartitions: 1,
        prepare: () => topics.ensureReplyTopic(this.topic),
        // Nothing is committed, because no other consumer takes over: it continues from its last offset.
        onJoined: () => this.next !== undefined && this.consumer.seek(0, this.next),
        onRebalancing: () => undefined,
        onMessages: (_partition, messages) => this.receive(messages),
        onLost: options.onLost,
      },
      options,
    );
  }

  /** Resolves when replies can be received. */
  start(): Promise<void> {
    return this.consumer.start();
  }

  status(): true | string {
    return this.consumer.status();
  }

  /** True if a reply to a request that is sent now can be received soon, else the problem. */
  connection(): true | string {
    return this.consumer.connection();
  }

  expect<Answer>(label: string, context: string): PendingReply<Answer> {
    if (this.pending.size >= this.options.maxWaiting) throw new BusOverloaded(label);
    const requestId = (++this.requests).toString(36);
    const deadlineMs = Date.now() + this.options.timeoutMs;
    const answer = new Promise<Answer>((resolve, reject) => {
      const { timeoutMs } = this.options;
      const late = (): void => {
        this.take(requestId)?.reject(
          new NoReply(`${label} got no reply within ${timeoutMs} ms; its outcome is unknown`),
        );
      };
      const timer = setTimeout(late, timeoutMs);
      this.pending.set(requestId, { label, context, resolve: resolve as (reply: unknown) => void, reject, timer });
    });
    const address = { topic: this.topic, requestId, deadlineMs };
    return { address, answer, fail: (error) => this.take(requestId)?.reject(error) };
  }

  /** Rejects all pending requests, leaves the group and deletes the topic. */
  async close(): Promise<void> {
    for (const requestId of [...this.pending.keys()]) {
      const pending = this.take(requestId)!;
      pending.reject(new NoReply(`${pending.label} was interrupted by a shutdown; its outcome is unknown`));
    }
    await this.consumer.stop();
    await this.options.topics.remove(this.topic).catch((error: unknown) => {
      this.options.log.warn(
        { err: error, topic: this.topic },
        'Could not delete the reply topic; a later start deletes it',
      );
    });
  }

  private receive(messages: readonly KafkaMessage[]): void {
    for (const message of messages) {
      this.next = Number(message.offset) + 1;
      const reply = decodeReply(message);
      if (reply !== undefined) this.settle(reply, message);
    }
  }

  /**
   * The requester may have timed out, and a redelivered command produces a second reply. A reply that is not signed for
   * this request is ignored, because the genuine one may follow.
   */
  private settle(reply: Reply, message: KafkaMessage): void {
    const expected = this.pending.get(reply.requestId);
    if (expected === undefined) return;
    if (!this.options.signer.isGenuineReply(message, this.topic, expected.context)) {
      this.options.onRejected('forged_reply');
      const details = { topic: this.topic, offset: message.offset, command: expected.label };
      this.options.log.warn(details, 'Ignored a reply that was not signed for its request');
      return;
    }
    const pending = this.take(reply.requestId)!;
    if (reply.outcome === 'done') pending.resolve(reply.body);
    else pending.reject(failureOf(reply, pending.label));
  }

  private take(requestId: string): Pending | undefined {
    const pending = this.pending.get(requestId);
    if (pending === undefined) return undefined;
    clearTimeout(pending.timer);
    this.pending.delete(requestId);
    return pending;
  }
}
