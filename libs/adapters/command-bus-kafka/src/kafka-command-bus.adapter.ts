import { type CommandBus, type CommandMessage, NoReply } from '@florin/event-sourcing';
import type { Kafka } from 'kafkajs';
import { kafkaClient } from './kafka-client';
import { defaults, type KafkaCommandBusOptions } from './kafka-command-bus-options';
import { KafkaTransport } from './kafka-transport';
import { Outbox } from './outbox';
import { ReplyInbox } from './reply-inbox';
import { Topics } from './topics';
import { encodeCommand, type ReplyAddress } from './wire';

/** A broker that restarts is no reason to send traffic elsewhere. */
const unwellAfterMs = 15_000;

/**
 * The bus of services that run as processes of their own: commands on Kafka topics, keyed, one topic per context; replies
 * on a topic of the instance that asked.
 *
 * Services that only handle need no `start`: the transport listens and answers without it.
 */
export class KafkaCommandBus implements CommandBus {
  /** Where a Nest application listens: `createMicroservice(module, { strategy: bus.transport })`. */
  readonly transport: KafkaTransport;
  private readonly kafka: Kafka;
  private readonly topics: Topics;
  private readonly outbox: Outbox;
  private readonly supervision: ConstructorParameters<typeof ReplyInbox>[0];
  private inbox: ReplyInbox | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(private readonly options: KafkaCommandBusOptions) {
    const { log, onLost, partitions, isTransient } = options;
    const settings = { ...defaults, ...options };
    this.kafka = kafkaClient(options);
    this.topics = new Topics(this.kafka, options);
    const { kafka, topics } = this;
    const limits = { maxWaiting: settings.maxWaiting, timeoutMs: settings.replyTimeoutMs };
    const outbox = new Outbox({ kafka, topics, ...limits });
    this.outbox = outbox;
    this.supervision = { kafka, topics, log, onLost, lostAfterMs: settings.lostAfterMs, ...limits };
    const maxUnfinished = settings.maxUnfinishedPerPartition;
    this.transport = new KafkaTransport({ ...this.supervision, outbox, partitions, isTransient, maxUnfinished });
  }

  /** Makes the reply topic and joins as its reader, so that replies arrive; before the first request. */
  async start(): Promise<void> {
    const inbox = new ReplyInbox(this.supervision);
    await inbox.start();
    this.inbox = inbox;
    this.sweeping = this.sweep();
  }

  request<Reply>(message: CommandMessage): Promise<Reply> {
    const { inbox } = this;
    const what = message.command.type;
    if (inbox === undefined)
      return Promise.reject(new NoReply(`${what} was not sent: the bus is not started, or closed`));
    try {
      const { address, answer, fail } = inbox.expect<Reply>(what);
      this.put(message, address).catch(fail);
      return answer;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  send(message: CommandMessage): Promise<void> {
    return this.put(message);
  }

  /** True, or what has not worked for some seconds now. A rebalance or a broker's restart does not count as long. */
  status(): true | string {
    const consumers = [this.inbox?.status() ?? true, this.transport.health()];
    const complaint = consumers.find((status) => status !== true);
    if (complaint !== undefined) return complaint;
    const trouble = this.outbox.trouble();
    if (trouble === undefined || performance.now() - trouble.sinceMs < unwellAfterMs) return true;
    const seconds = Math.round((performance.now() - trouble.sinceMs) / 1_000);
    const reason = trouble.error instanceof Error ? trouble.error.message : String(trouble.error);
    return `nothing could be sent to Kafka for ${seconds} s: ${reason}`;
  }

  /** After the transport has drained: the last messages go out, and the reply topic is removed. */
  async close(): Promise<void> {
    await this.sweeping;
    await this.outbox.close();
    const { inbox } = this;
    this.inbox = undefined;
    await inbox?.close();
  }

  private put(message: CommandMessage, replyTo?: ReplyAddress): Promise<void> {
    const { context, command } = message;
    const topic = this.topics.commandsOf(context);
    return this.outbox.put({ topic, context, message: encodeCommand(message, replyTo), what: command.type });
  }

  private async sweep(): Promise<void> {
    const { log } = this.options;
    try {
      const topics = await this.topics.sweepReplies();
      if (topics.length > 0) log.info({ topics }, 'Removed the reply topics of instances that are gone');
    } catch (error) {
      log.warn({ err: error }, 'Could not look for reply topics that nobody reads any more; the next start does');
    }
  }
}
