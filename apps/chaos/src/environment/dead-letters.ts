import type { KafkaAdministrator } from '@florin/dev-platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { copyHeader } from '../faults/duplicator';
import { administratorClient } from './administrator-client';

const timeoutMs = 20_000;
const maxListed = 100;

/** The messages in all dead-letter topics, with their reasons, without the exact copies that had to be rejected. */
export async function readDeadLetters(administrator: KafkaAdministrator): Promise<readonly string[]> {
  const kafka = administratorClient(administrator);
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.endsWith('.dead-letters'));
    if (topics.length === 0) throw new Error('The broker has no dead-letter topics. Were they renamed?');
    const counts = await Promise.all(topics.map(async (topic) => [topic, await countOf(topic)] as const));
    const filled = counts.filter(([, count]) => count > 0);
    const total = filled.reduce((sum, [, count]) => sum + count, 0);
    const topicNames = filled.map(([topic]) => topic);
    const read = total === 0 ? [] : await readAll(kafka, topicNames, total);
    if (read.length < total) throw new Error(`Only ${read.length} of ${total} dead letters could be read.`);
    const findings = read.filter(({ message }) => !isRejectedCopy(message)).map(describe);
    const more = findings.length - maxListed;
    return more > 0 ? [...findings.slice(0, maxListed), `and ${more} more dead letters`] : findings;
  } finally {
    await admin.disconnect();
  }

  async function countOf(topic: string): Promise<number> {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  }
}

async function readAll(kafka: Kafka, topics: readonly string[], count: number): Promise<readonly DeadLetter[]> {
  const consumer = kafka.consumer({ groupId: `chaos-dead-letters-${Date.now()}`, maxWaitTimeInMs: 200 });
  const found: DeadLetter[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ topic, message }) => void found.push({ topic, message }) });
    for (const deadline = Date.now() + timeoutMs; found.length < count && Date.now() < deadline;) await delay(50);
    return found;
  } finally {
    await consumer.disconnect();
  }
}

interface DeadLetter {
  readonly topic: string;
  readonly message: KafkaMessage;
}

/** A copy of the duplicator that was not signed again. */
function isRejectedCopy({ headers = {} }: KafkaMessage): boolean {
  const isExact = String(headers[copyHeader]) === 'exact';
  return isExact && /^(replayed|stale): /.test(String(headers['dead-letter-reason']));
}

function describe({ topic, message: { headers = {}, value } }: DeadLetter): string {
  const reason = `${String(headers['dead-letter-error'])}: ${String(headers['dead-letter-reason'])}`;
  const copy = headers[copyHeader] === undefined ? '' : ` (a copy: ${String(headers[copyHeader])})`;
  return `${topic}${copy}: ${reason}; ${value?.toString().slice(0, 500)}`;
}
