import { randomBytes } from 'node:crypto';
import type { ITopicConfig, Kafka } from 'kafkajs';
import { withAdmin } from './kafka-client';
import { defaults, type KafkaCommandBusOptions } from './kafka-command-bus-options';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

/** Names topics and creates missing ones. */
export class Topics {
  private readonly prefix: string;
  private readonly ensured = new Map<string, Promise<void>>();

  constructor(
    private readonly kafka: Kafka,
    private readonly options: KafkaCommandBusOptions,
  ) {
    this.prefix = options.topicPrefix ?? defaults.topicPrefix;
  }

  commandsOf(context: string): string {
    return `${this.prefix}${context}.commands`;
  }

  deadLettersOf(context: string): string {
    return `${this.prefix}${context}.dead-letters`;
  }

  groupOf(context: string): string {
    return `${this.prefix}${context}`;
  }

  /** A unique name: the successor of a dead instance must not read that instance's replies. */
  newReplyTopic(): string {
    return `${this.prefix}replies.${this.options.service}-${Date.now()}-${randomBytes(4).toString('hex')}`;
  }

  /** Checks once per context: an existing topic is assumed to stay, unless `forget` is called. */
  ensure(context: string): Promise<void> {
    const known = this.ensured.get(context);
    if (known !== undefined) return known;
    const ensuring = this.createMissing([
      this.topic(this.commandsOf(context), this.options.partitions),
      // Operators inspect these messages.
      this.topic(this.deadLettersOf(context), 1, { 'retention.ms': 90 * dayMs }),
    ]);
    this.ensured.set(context, ensuring);
    ensuring.catch(() => this.ensured.delete(context));
    return ensuring;
  }

  forget(context: string): void {
    this.ensured.delete(context);
  }

  /** Replies are read immediately or never. Kafka deletes old ones as soon as their segment is full or has expired. */
  async ensureReplyTopic(name: string): Promise<void> {
    const ageMs = hourMs / 6;
    const config = { 'retention.ms': ageMs, 'segment.ms': ageMs, 'segment.bytes': 16 * 1024 * 1024 };
    await this.createMissing([this.topic(name, 1, config)]);
  }

  async remove(name: string): Promise<void> {
    await withAdmin(this.kafka, (admin) => admin.deleteTopics({ topics: [name] }));
  }

  /**
   * Deletes the reply topics of instances that ended without doing so: their consumer groups have no members. The hour
   * protects instances that are just starting. A running instance that is hit while disconnected creates its topic
   * again when it rejoins.
   */
  async deleteOrphanedReplyTopics(): Promise<readonly string[]> {
    return withAdmin(this.kafka, async (admin) => {
      const old = (await admin.listTopics()).filter((name) => Date.now() - this.createdAtMs(name) > hourMs);
      if (old.length === 0) return [];
      // The group of a reply topic has the topic's name.
      const { groups } = await admin.describeGroups(old);
      const dead = groups.filter(({ members }) => members.length === 0).map(({ groupId }) => groupId);
      if (dead.length > 0) await admin.deleteTopics({ topics: dead });
      return dead;
    });
  }

  /** The creation time of a reply topic of this service; infinite for any other topic. */
  private createdAtMs(name: string): number {
    // A service may not delete the topics of another one.
    if (!name.startsWith(`${this.prefix}replies.${this.options.service}-`)) return Infinity;
    const born = /-(\d{13})-[0-9a-f]{8}$/.exec(name)?.[1];
    return born === undefined ? Infinity : Number(born);
  }

  private topic(topic: string, numPartitions: number, config: Record<string, number> = {}): ITopicConfig {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value: String(value) }));
    return { topic, numPartitions, replicationFactor: this.options.replicationFactor ?? -1, configEntries };
  }

  private async createMissing(topics: readonly ITopicConfig[]): Promise<void> {
    await withAdmin(this.kafka, async (admin) => {
      const present = new Set(await admin.listTopics());
      const missing = topics.filter(({ topic }) => !present.has(topic));
      if (missing.length > 0) await admin.createTopics({ topics: missing, waitForLeaders: true });
    });
  }
}
