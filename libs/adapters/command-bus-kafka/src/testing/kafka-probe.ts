import { randomUUID } from 'node:crypto';
import { type Admin, Kafka, type KafkaMessage, logLevel, type Message } from 'kafkajs';

/** A plain Kafka client that knows nothing about the bus. */
export class KafkaProbe {
  readonly kafka: Kafka;

  constructor(brokers: readonly string[]) {
    this.kafka = new Kafka({ brokers: () => [...brokers], logLevel: logLevel.NOTHING });
  }

  async ask<Answer>(question: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await question(admin);
    } finally {
      await admin.disconnect();
    }
  }

  /** Writes the messages to the first partition. */
  async writeAll(topic: string, messages: readonly Message[]): Promise<void> {
    const producer = this.kafka.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    await producer.send({ topic, messages: [...messages] });
    await producer.disconnect();
  }

  /** The first messages of a topic, in partition order. */
  async read(topic: string, count: number): Promise<readonly KafkaMessage[]> {
    const consumer = this.kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
    const messages: KafkaMessage[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve) => {
      const eachMessage = async ({ message }: { message: KafkaMessage }): Promise<void> => {
        if (messages.push(message) >= count) resolve();
      };
      void consumer.run({ eachMessage });
    });
    await consumer.disconnect();
    return messages;
  }

  /** The number of messages of a topic that a group has not committed. */
  async lag(topic: string, groupId: string): Promise<number> {
    return this.ask(async (admin) => {
      const ends = await admin.fetchTopicOffsets(topic);
      const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return ends.reduce((sum, { partition, high }) => {
        const offset = Number(committed?.partitions.find((entry) => entry.partition === partition)?.offset ?? 0);
        return sum + Number(high) - Math.max(0, offset);
      }, 0);
    });
  }
}

export function headersOf({ headers }: KafkaMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
}
