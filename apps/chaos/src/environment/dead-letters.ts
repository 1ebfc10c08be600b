import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';

const timeoutMs = 20_000;
const maxRead = 100;

/** The messages in all dead-letter topics, with their reasons. */
export async function readDeadLetters(brokers: string): Promise<readonly string[]> {
  const kafka = new Kafka({ clientId: 'chaos', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.endsWith('.dead-letters'));
    if (topics.length === 0) throw new Error('The broker has no dead-letter topics. Were they renamed?');
    const counts = await Promise.all(topics.map(async (topic) => [topic, await countOf(topic)] as const));
    const filled = counts.filter(([, count]) => count > 0);
    const total = filled.reduce((sum, [, count]) => sum + count, 0);
    const read =
      total === 0
        ? []
        : await readAll(
            kafka,
            filled.map(([topic]) => topic),
            Math.min(total, maxRead),
          );
    return total > read.length ? [...read, `and ${total - read.length} more dead letters`] : read;
  } finally {
    await admin.disconnect();
  }

  async function countOf(topic: string): Promise<number> {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  }
}

async function readAll(kafka: Kafka, topics: readonly string[], count: number): Promise<readonly string[]> {
  const consumer = kafka.consumer({ groupId: `chaos-dead-letters-${Date.now()}`, maxWaitTimeInMs: 200 });
  const found: string[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ topic, message }) => void found.push(describe(topic, message)) });
    for (const deadline = Date.now() + timeoutMs; found.length < count && Date.now() < deadline;) await delay(50);
    return found.slice(0, count);
  } finally {
    await consumer.disconnect();
  }
}

function describe(topic: string, { headers = {}, value }: KafkaMessage): string {
  const reason = `${String(headers['dead-letter-error'])}: ${String(headers['dead-letter-reason'])}`;
  return `${topic}: ${reason}; ${value?.toString().slice(0, 500)}`;
}
