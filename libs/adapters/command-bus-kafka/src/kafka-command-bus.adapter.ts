import { type CommandBus, type CommandMessage, NoReply } from '@florin/event-sourcing';
import type { Kafka } from 'kafkajs';
import { kafkaClient } from './kafka-client';
import { defaults, type KafkaCommandBusOptions } from './kafka-command-bus-options';
import { KafkaTransport } from './kafka-transport';
import { MessageSigner } from './message-signer';
import { ProducerBuffer } from './producer-buffer';
import { ReplyConsumer } from './reply-consumer';
import { Topics } from './topics';
import { encodeCommand, type ReplyAddress } from './wire';

/** A broker restart must not mark the replica as unhealthy. */
const unhealthyAfterMs = 15_000;

/**
 * The command bus between services: one keyed topic of commands per context, and one reply topic per requesting
 * instance.
 *
 * A service that only handles commands does not need `start`: the transport receives and replies without it.
 */
export class KafkaCommandBus implements CommandBus {
  /** The transport strategy for Nest: `createMicroservice(module, { strategy: bus.transport })`. */
  readonly transport: KafkaTransport;
  /** How many commands and replies were rejected because they could not be trusted, by reason. */
  readonly rejections = new Map<string, number>();
  private readonly kafka: Kafka;
  private readonly topics: Topics;
  private readonly producerBuffer: ProducerBuffer;
  private readonly signer: MessageSigner;
  private readonly supervision: ConstructorParameters<typeof ReplyConsumer>[0];
  private replyConsumer: ReplyConsumer | undefined;
  private cleanup: Promise<void> | undefined;

  constructor(private readonly options: KafkaCommandBusOptions) {
    const { service, trust, log, onLost, partitions, isTransient } = options;
    const settings = { ...defaults, ...options };
    this.kafka = kafkaClient(options);
    this.topics = new Topics(this.kafka, options);
    const { kafka, topics } = this;
    const limits = { maxWaiting: settings.maxWaiting, timeoutMs: settings.replyTimeoutMs };
    const producerBuffer = new ProducerBuffer({ kafka, topics, ...limits });
    this.producerBuffer = producerBuffer;
    const signer = new MessageSigner(service, trust);
    this.signer = signer;
    const onRejected = (reason: string): void => {
      this.rejections.set(reason, (this.rejections.get(reason) ?? 0) + 1);
    };
    const { lostAfterMs, sessionTimeoutMs } = settings;
    const supervision = { kafka, topics, log, onLost, lostAfterMs, sessionTimeoutMs };
    this.supervision = { ...supervision, signer, onRejected, ...limits };
    const maxUnfinished = settings.maxUnfinishedPerPartition;
    this.transport = new KafkaTransport({
      ...this.supervision,
      producerBuffer,
      partitions,
      isTransient,
      maxUnfinished,
    });
  }

  /**
   * Creates the reply topic and joins its consumer group, and resolves when requests can get a reply. Until then they are
   * rejected.
   */
  async start(): Promise<void> {
    const replyConsumer = new ReplyConsumer(this.supervision);
    this.replyConsumer = replyConsumer;
    await replyConsumer.start();
    this.cleanup = this.cleanUp();
  }

  request<Reply>(message: CommandMessage): Promise<Reply> {
    const { replyConsumer } = this;
    const label = message.command.type;
    if (replyConsumer === undefined)
      return Promise.reject(new NoReply(`${label} was not sent: the bus is not started, or closed`));
    const connection = replyConsumer.connection();
    if (connection !== true) return Promise.reject(new NoReply(`${label} was not sent: ${connection}`));
    try {
      const { address, answer, fail } = replyConsumer.expect<Reply>(label, message.context);
      this.put(message, address).catch(fail);
      return answer;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  send(message: CommandMessage): Promise<void> {
    return this.put(message);
  }

  /** True, or the problem that has lasted for some seconds. A rebalance or a broker restart is shorter. */
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

  /** Call it after the transport has drained: it flushes the producer buffer and deletes the reply topic. */
  async close(): Promise<void> {
    await this.cleanup;
    await this.producerBuffer.close();
    const { replyConsumer } = this;
    this.replyConsumer = undefined;
    await replyConsumer?.close();
  }

  private put(message: CommandMessage, replyTo?: ReplyAddress): Promise<void> {
    const { context, command } = message;
    if (!this.signer.canSendTo(context)) {
      const reason = `this service has no key for commands to ${context}; add it to BUS_KEYS`;
      return Promise.reject(new NoReply(`${command.type} was not sent: ${reason}`, { cause: new Error(reason) }));
    }
    const topic = this.topics.commandsOf(context);
    return this.producerBuffer.put({
      topic,
      context,
      message: encodeCommand(message, replyTo),
      sign: (unsigned) => this.signer.signCommand(unsigned, context, topic),
      label: command.type,
    });
  }

  private async cleanUp(): Promise<void> {
    const { log } = this.options;
    try {
      const topics = await this.topics.deleteOrphanedReplyTopics();
      if (topics.length > 0) log.info({ topics }, 'Deleted orphaned reply topics');
    } catch (error) {
      log.warn({ err: error }, 'Could not search for orphaned reply topics; the next start tries again');
    }
  }
}
