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

/** The share of commands that is resent immediately, and how many are kept to be resent much later. */
const immediateShare = 0.08;
const maxKept = 2_000;
const copyHeader = 'chaos-copy';

/** Resends commands of other producers unchanged: Kafka delivers at least once, so this may happen at any time. */
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

  /** Resends up to this many commands of any age. Resolves with how many it has sent. */
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
        if (message.headers?.[copyHeader] !== undefined) return;
        const command = { topic, message };
        this.keep(command);
        if (random.chance(immediateShare)) await this.send(command);
      },
    });
  }

  private async listenAgain(): Promise<void> {
    while (!this.stopped) {
      try {
        await delay(1_000);
        return await this.listen();
      } catch {
        // The broker is down; it will restart.
      }
    }
  }

  /** Reservoir sampling: every command is kept with the same probability, regardless of its age. */
  private keep(command: SentCommand): void {
    this.seen += 1;
    if (this.sent.length < maxKept) this.sent.push(command);
    else if (this.options.random.chance(maxKept / this.seen)) {
      this.sent[this.options.random.between(0, maxKept - 1)] = command;
    }
  }

  private async send({ topic, message: { key, value, headers } }: SentCommand): Promise<void> {
    try {
      const copy = { key, value, headers: { ...headers, [copyHeader]: 'true' } };
      await this.producer.send({ topic, messages: [copy] });
      this.copies += 1;
    } catch {
      // The broker is down; this copy is skipped.
    }
  }
}
