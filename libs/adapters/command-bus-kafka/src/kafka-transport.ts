import { exponentialBackoff, patternOf } from '@florin/event-sourcing';
import type { CommandMessage } from '@florin/event-sourcing';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { CommandConsumer, type CommandConsumerOptions, type Delivery } from './command-consumer';
import type { ProducerBuffer } from './producer-buffer';
import { decodeCommand, describeFailure, encodeDeadLetter, encodeReply, type Outcome, replyAddressOf } from './wire';

export interface KafkaTransportOptions extends Omit<CommandConsumerOptions, 'context' | 'handle'> {
  readonly producerBuffer: ProducerBuffer;
  readonly isTransient: (error: unknown) => boolean;
}

/** The receiving end of the bus as a Nest transport strategy: it reads the commands of every context it has handlers for. */
export class KafkaTransport extends Server implements CustomTransportStrategy {
  private readonly backoff = exponentialBackoff(100, 5_000);
  private consumers: readonly CommandConsumer[] = [];

  constructor(private readonly options: KafkaTransportOptions) {
    super();
  }

  /** Calls back when every context's group has been joined. */
  listen(callback: (error?: unknown) => void): void {
    const contexts = new Set([...this.messageHandlers.keys()].map(contextOf));
    const handle = (delivery: Delivery): Promise<boolean> => this.handle(delivery);
    this.consumers = [...contexts].map((context) => new CommandConsumer({ ...this.options, context, handle }));
    Promise.all(this.consumers.map((consumer) => consumer.start())).then(() => callback(), callback);
  }

  /** A command that came is never dropped: all are handled, answered and committed before the groups are left. */
  async close(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.drain()));
    await this.options.producerBuffer.flush();
    await Promise.all(this.consumers.map((consumer) => consumer.close()));
  }

  on(): void {
    // Who wants to know how the connection is asks the bus for its status.
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }

  /** Every consumer is fine, or what is wrong with the first that is not. */
  health(): true | string {
    const problems = this.consumers.map((consumer) => consumer.status());
    return problems.find((problem) => problem !== true) ?? true;
  }

  /** Nothing here waits before the handler is called: that is what keeps the order of each key. */
  private async handle(delivery: Delivery): Promise<boolean> {
    if (isExpired(delivery)) return this.skipExpired(delivery);
    try {
      const message = decodeCommand(delivery.message, delivery.context);
      const name = patternOf(message.context, message.command.type);
      const handler = this.messageHandlers.get(name);
      if (handler === undefined) throw new Error(`Nothing handles ${name}`);
      return await this.run(handler, message, delivery);
    } catch (error) {
      this.reply(delivery, 'failed', describeFailure(error));
      return this.writeDeadLetter(delivery, error);
    }
  }

  private skipExpired(delivery: Delivery): boolean {
    const { topic, partition, message } = delivery;
    const reason = { name: 'TooLate', message: 'nobody waits for it any more' };
    this.reply(delivery, 'unavailable', reason);
    this.options.log.warn({ topic, partition, offset: message.offset }, 'A request came too late and was passed over');
    return true;
  }

  private async run(handler: MessageHandler, message: CommandMessage, delivery: Delivery): Promise<boolean> {
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

  /** Who asked may be gone, or repeats by itself: nothing waits for a reply to arrive. */
  private reply(delivery: Delivery, outcome: Outcome, reply: unknown): void {
    const address = replyAddressOf(delivery.message);
    if (address === undefined) return;
    const outbound = {
      topic: address.topic,
      message: encodeReply(address.requestId, outcome, reply),
      label: 'A reply',
    };
    this.options.producerBuffer.put(outbound).catch((error: Error) => {
      const details = { err: error, commands: delivery.topic, replies: address.topic };
      this.options.log.warn(details, 'A reply could not be sent');
      // One that is too large can at least be told of.
      if (outcome === 'done' && error.cause !== undefined) this.reply(delivery, 'failed', describeFailure(error.cause));
    });
  }

  /** Only when it is safely written may the command count as finished. */
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
 * Whoever asked has been told by now: that the outcome is unknown, or, where this is a redelivery, what it was. A refusal
 * leaves no trace by which a repeat could be known, and what was refused must not happen behind the back of whoever was
 * told so.
 */
function isExpired({ message }: Delivery): boolean {
  const address = replyAddressOf(message);
  return address !== undefined && Date.now() > address.deadlineMs;
}

function contextOf(pattern: string): string {
  return pattern.slice(0, pattern.indexOf('.commands/'));
}
