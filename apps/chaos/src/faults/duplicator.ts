import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, Kafka, type KafkaMessage, logLevel, type Producer } from 'kafkajs';
import type { Random } from '../random';

export interface DuplicatorOptions {
  readonly brokers: string;
  readonly topicPrefix: string;
  readonly random: Random;
}

interface SentCommand {
  readonly topic: string;
  readonly message: KafkaMessage;
}

/** How many of the commands are sent again at once, and how many are remembered to be sent again much later. */
const shareAtOnce = 0.08;
const remembered = 2_000;
const copyMark = 'chaos-copy';

/** Sends commands again that somebody else has sent, just as they were: brokers and producers promise no less. */
export class Duplicator {
  copies = 0;
  private readonly kafka: Kafka;
  private readonly producer: Producer;
  private readonly sent: SentCommand[] = [];
  private seen = 0;
  private consumer: Consumer | undefined;
  private stopped = false;

  constructor(private readonly options: DuplicatorOptions) {
    this.kafka = new Kafka({ clientId: 'chaos', brokers: options.brokers.split(','), logLevel: logLevel.NOTHING });
    this.producer = this.kafka.producer();
  }

  async start(): Promise<void> {
    await this.producer.connect();
    await this.listen();
  }

  /** Sends so many commands of any age again; answers how many there were. */
  async repeat(count: number): Promise<number> {
    const { random } = this.options;
    const chosen = random.shuffled(this.sent).slice(0, count);
    for (const command of chosen) await this.send(command);
    return chosen.length;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.allSettled([this.consumer?.disconnect(), this.producer.disconnect()]);
  }

  private async listen(): Promise<void> {
    const { topicPrefix, random } = this.options;
    const consumer = this.kafka.consumer({ groupId: `${topicPrefix}chaos-duplicator`, maxWaitTimeInMs: 200 });
    this.consumer = consumer;
    consumer.on('consumer.crash', ({ payload }) => {
      if (!payload.restart && !this.stopped) void this.listenAgain();
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [new RegExp(`^${topicPrefix}.*\\.commands$`)], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ topic, message }) => {
        if (message.headers?.[copyMark] !== undefined) return;
        const command = { topic, message };
        this.remember(command);
        if (random.chance(shareAtOnce)) await this.send(command);
      },
    });
  }

  private async listenAgain(): Promise<void> {
    while (!this.stopped) {
      try {
        await delay(1_000);
        return await this.listen();
      } catch {
        // The broker is away; it comes back.
      }
    }
  }

  /** Every command has the same chance to be among those remembered, however old it is. */
  private remember(command: SentCommand): void {
    this.seen += 1;
    if (this.sent.length < remembered) this.sent.push(command);
    else if (this.options.random.chance(remembered / this.seen)) {
      this.sent[this.options.random.between(0, remembered - 1)] = command;
    }
  }

  private async send({ topic, message: { key, value, headers } }: SentCommand): Promise<void> {
    try {
      const copy = { key, value, headers: { ...headers, [copyMark]: 'true' } };
      await this.producer.send({ topic, messages: [copy] });
      this.copies += 1;
    } catch {
      // A copy that cannot be sent is none.
    }
  }
}
