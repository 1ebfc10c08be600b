import { exponentialBackoff, patternOf } from '@florin/event-sourcing';
import type { CommandMessage } from '@florin/event-sourcing';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { Message } from 'kafkajs';
import { isObservable, lastValueFrom } from 'rxjs';
import { CommandConsumer, type CommandConsumerOptions, type Delivery } from './command-consumer';
import type { ProducerBuffer } from './producer-buffer';
import { type MessageSigner, RejectedCommand } from './message-signer';
import { decodeCommand, describeFailure, encodeDeadLetter, encodeReply, type Outcome, replyAddressOf } from './wire';

/** A command that was signed by this service. */
interface VerifiedDelivery extends Delivery {
  readonly sender: string;
}

export interface KafkaTransportOptions extends Omit<CommandConsumerOptions, 'context' | 'handle'> {
  readonly producerBuffer: ProducerBuffer;
  readonly signer: MessageSigner;
  readonly onRejected: (reason: string) => void;
  readonly isTransient: (error: unknown) => boolean;
}

/**
 * The receiving end of the bus as a Nest transport strategy. It consumes the commands of every context that it has
 * handlers for.
 */
export class KafkaTransport extends Server implements CustomTransportStrategy {
  private readonly backoff = exponentialBackoff(100, 5_000);
  private consumers: readonly CommandConsumer[] = [];

  constructor(private readonly options: KafkaTransportOptions) {
    super();
  }

  /** Calls back when the consumer group of every context has been joined. */
  listen(callback: (error?: unknown) => void): void {
    const contexts = new Set([...this.messageHandlers.keys()].map(contextOf));
    const handle = (delivery: Delivery): Promise<boolean> => this.handle(delivery);
    this.consumers = [...contexts].map((context) => new CommandConsumer({ ...this.options, context, handle }));
    Promise.all(this.consumers.map((consumer) => consumer.start())).then(() => callback(), callback);
  }

  /** Never drops a received command: handles all, sends their replies and commits before it leaves the groups. */
  async close(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.drain()));
    await this.options.producerBuffer.flush();
    await Promise.all(this.consumers.map((consumer) => consumer.close()));
  }

  on(): void {
    // The status of the connection is available from the bus.
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }

  /** True when all consumers are healthy, else the first problem. */
  health(): true | string {
    const problems = this.consumers.map((consumer) => consumer.status());
    return problems.find((problem) => problem !== true) ?? true;
  }

  /** Nothing is awaited before the handler is called: this keeps the order per key. */
  private async handle(delivery: Delivery): Promise<boolean> {
    let verified: VerifiedDelivery;
    try {
      verified = { ...delivery, sender: this.options.signer.verifyCommand(delivery) };
    } catch (error) {
      return this.reject(delivery, error);
    }
    if (isExpired(verified)) return this.skipExpired(verified);
    try {
      return await this.handleVerified(verified);
    } catch (error) {
      if (error instanceof RejectedCommand) this.options.onRejected(error.reason);
      this.reply(verified, 'failed', describeFailure(error));
      return this.writeDeadLetter(verified, error);
    }
  }

  /** Its reply address cannot be trusted either, so there is no reply. */
  private reject(delivery: Delivery, error: unknown): Promise<boolean> {
    if (error instanceof RejectedCommand) this.options.onRejected(error.reason);
    return this.writeDeadLetter(delivery, error);
  }

  private handleVerified(delivery: VerifiedDelivery): Promise<boolean> {
    const { context, sender } = delivery;
    const message = decodeCommand(delivery.message, context);
    this.options.signer.requirePermission(sender, context, message.command);
    const name = patternOf(context, message.command.type);
    const handler = this.messageHandlers.get(name);
    if (handler === undefined) throw new Error(`Nothing handles ${name}`);
    return this.run(handler, message, delivery);
  }

  private skipExpired(delivery: VerifiedDelivery): boolean {
    const { topic, partition, message } = delivery;
    const reason = { name: 'TooLate', message: 'the deadline of the request has passed' };
    this.reply(delivery, 'unavailable', reason);
    this.options.log.warn({ topic, partition, offset: message.offset }, 'Skipped a request whose deadline has passed');
    return true;
  }

  private async run(handler: MessageHandler, message: CommandMessage, delivery: VerifiedDelivery): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const result: unknown = await handler(message);
        this.reply(delivery, 'done', isObservable(result) ? await lastValueFrom(result) : result);
        return true;
      } catch (error) {
        if (!this.options.isTransient(error)) throw error;
        if (replyAddressOf(delivery.message) !== undefined) {
          this.reply(delivery, 'unavailable', describeFailure(error));
          return true;
        }
        await this.backoff.wait(tries, delivery.signal);
        if (delivery.signal.aborted) return false;
      }
    }
  }

  /** The requester may have ended or may repeat by itself, so nothing waits for the reply to be written. */
  private reply(delivery: VerifiedDelivery, outcome: Outcome, reply: unknown): void {
    const address = replyAddressOf(delivery.message);
    if (address === undefined) return;
    const { topic, requestId } = address;
    const outbound = {
      topic,
      message: encodeReply(requestId, outcome, reply),
      sign: (message: Message) => this.options.signer.signReply(message, topic, delivery),
      label: 'A reply',
    };
    this.options.producerBuffer.put(outbound).catch((error: Error) => {
      const details = { err: error, commands: delivery.topic, replies: address.topic };
      this.options.log.warn(details, 'Could not send a reply');
      // A reply that is too large is replaced by the failure.
      if (outcome === 'done' && error.cause !== undefined) this.reply(delivery, 'failed', describeFailure(error.cause));
    });
  }

  /** The command counts as finished only after its dead letter is durable. */
  private async writeDeadLetter(delivery: Delivery, error: unknown): Promise<boolean> {
    const { context, partition, message, signal } = delivery;
    const { topics, producerBuffer, log } = this.options;
    const details = { topic: delivery.topic, partition, offset: message.offset, err: error };
    const topic = topics.deadLettersOf(context);
    const outbound = { topic, context, message: encodeDeadLetter(message, delivery, error), label: 'A dead letter' };
    for (let tries = 1; ; tries++) {
      try {
        await producerBuffer.put(outbound);
        log.error(details, `A command cannot be handled and was put into ${topic}`);
        return true;
      } catch (failure) {
        log.warn({ ...details, err: failure }, 'Could not write a dead letter; retrying');
        await this.backoff.wait(tries, signal);
        if (signal.aborted) return false;
      }
    }
  }
}

/**
 * By the deadline the requester has been informed that the outcome is unknown or, for a redelivery, has the reply. A
 * refusal stores nothing by which a repeat could be recognized, and a command that was reported as refused must not
 * succeed afterwards.
 */
function isExpired({ message }: Delivery): boolean {
  const address = replyAddressOf(message);
  return address !== undefined && Date.now() > address.deadlineMs;
}

function contextOf(pattern: string): string {
  return pattern.slice(0, pattern.indexOf('.commands/'));
}
