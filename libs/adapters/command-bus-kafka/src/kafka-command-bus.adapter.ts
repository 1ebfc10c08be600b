import { type CommandBus, type CommandMessage, NoReply } from '@florin/event-sourcing';
import type { Kafka } from 'kafkajs';
import { kafkaClient } from './kafka-client';
import { defaults, type KafkaCommandBusOptions } from './kafka-command-bus-options';
import { KafkaTransport } from './kafka-transport';
import { ProducerBuffer } from './producer-buffer';
import { ReplyConsumer } from './reply-consumer';
import { Topics } from './topics';
import { encodeCommand, type ReplyAddress } from './wire';

/** A broker that restarts is no reason to send traffic elsewhere. */
const unhealthyAfterMs = 15_000;

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
  private readonly producerBuffer: ProducerBuffer;
  private readonly supervision: ConstructorParameters<typeof ReplyConsumer>[0];
  private replyConsumer: ReplyConsumer | undefined;
  private cleanup: Promise<void> | undefined;

  constructor(private readonly options: KafkaCommandBusOptions) {
    const { log, onLost, partitions, isTransient } = options;
    const settings = { ...defaults, ...options };
    this.kafka = kafkaClient(options);
    this.topics = new Topics(this.kafka, options);
    const { kafka, topics } = this;
    const limits = { maxWaiting: settings.maxWaiting, timeoutMs: settings.replyTimeoutMs };
    const producerBuffer = new ProducerBuffer({ kafka, topics, ...limits });
    this.producerBuffer = producerBuffer;
    this.supervision = { kafka, topics, log, onLost, lostAfterMs: settings.lostAfterMs, ...limits };
    const maxUnfinished = settings.maxUnfinishedPerPartition;
    this.transport = new KafkaTransport({
      ...this.supervision,
      producerBuffer,
      partitions,
      isTransient,
      maxUnfinished,
    });
  }

  /** Makes the reply topic and joins as its reader, so that replies arrive; before the first request. */
  async start(): Promise<void> {
    const replyConsumer = new ReplyConsumer(this.supervision);
    await replyConsumer.start();
    this.replyConsumer = replyConsumer;
    this.cleanup = this.cleanUp();
  }

  request<Reply>(message: CommandMessage): Promise<Reply> {
    const { replyConsumer } = this;
    const label = message.command.type;
    if (replyConsumer === undefined)
      return Promise.reject(new NoReply(`${label} was not sent: the bus is not started, or closed`));
    try {
      const { address, answer, fail } = replyConsumer.expect<Reply>(label);
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
    const consumers = [this.replyConsumer?.status() ?? true, this.transport.health()];
    const problem = consumers.find((status) => status !== true);
    if (problem !== undefined) return problem;
    const failure = this.producerBuffer.failure();
    if (failure === undefined || performance.now() - failure.sinceMs < unhealthyAfterMs) return true;
    const seconds = Math.round((performance.now() - failure.sinceMs) / 1_000);
    const reason = failure.error instanceof Error ? failure.error.message : String(failure.error);
    return `nothing could be sent to Kafka for ${seconds} s: ${reason}`;
  }

  /** After the transport has drained: the last messages go out, and the reply topic is removed. */
  async close(): Promise<void> {
    await this.cleanup;
    await this.producerBuffer.close();
    const { replyConsumer } = this;
    this.replyConsumer = undefined;
    await replyConsumer?.close();
  }

  private put(message: CommandMessage, replyTo?: ReplyAddress): Promise<void> {
    const { context, command } = message;
    const topic = this.topics.commandsOf(context);
    return this.producerBuffer.put({ topic, context, message: encodeCommand(message, replyTo), label: command.type });
  }

  private async cleanUp(): Promise<void> {
    const { log } = this.options;
    try {
      const topics = await this.topics.deleteOrphanedReplyTopics();
      if (topics.length > 0) log.info({ topics }, 'Removed the reply topics of instances that are gone');
    } catch (error) {
      log.warn({ err: error }, 'Could not look for reply topics that nobody reads any more; the next start does');
    }
  }
}
