import { Kafka, logLevel } from 'kafkajs';

/** Creates topics and sends and receives messages with the client library that the product uses. */
export class TestKafkaClient {
  private readonly kafka: Kafka;

  constructor(address: string) {
    // It retries while the broker starts, and would log every attempt.
    this.kafka = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
  }

  async createTopic(topic: string): Promise<void> {
    const admin = this.kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
    await admin.disconnect();
  }

  async send(topic: string, ...values: string[]): Promise<void> {
    const producer = this.kafka.producer({ allowAutoTopicCreation: true, retry: { retries: 8 } });
    await producer.connect();
    try {
      await producer.send({ topic, acks: -1, messages: values.map((value) => ({ value })) });
    } finally {
      await producer.disconnect();
    }
  }

  /** The first messages of the topic, received by a new consumer group. */
  async receive(topic: string, count: number): Promise<string[]> {
    const consumer = this.kafka.consumer({ groupId: `${topic}-${Date.now()}`, maxWaitTimeInMs: 50 });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const values: string[] = [];
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
        if (values.push(String(message.value)) === count) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    await consumer.disconnect();
    return values;
  }
}
