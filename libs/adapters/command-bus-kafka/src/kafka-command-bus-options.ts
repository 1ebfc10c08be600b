import { NoReply, type SubscriptionLog } from '@florin/event-sourcing';
import type { BusTrust } from './bus-trust.port';

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaCommandBusOptions {
  /** The sender of commands, the Kafka client id, and part of the reply topic's name. */
  readonly service: string;
  readonly brokers: readonly string[];
  /** Prefix of every topic and consumer group. */
  readonly topicPrefix?: string;
  /**
   * For a commands topic that has to be created. An existing topic keeps its number, because keys are distributed over
   * it.
   */
  readonly partitions: number;
  /** Absent: the broker's default. */
  readonly replicationFactor?: number;
  /** TLS; without `ca` it trusts the certificate authorities that Node trusts. */
  readonly ssl?: false | { readonly ca?: string };
  readonly sasl?: KafkaSasl;
  readonly replyTimeoutMs?: number;
  /** The keys of this service's edges, and the permissions of senders. */
  readonly trust: BusTrust;
  readonly log: SubscriptionLog;
  /** Whether a handler's failure is transient. Such a command is retried; any other goes to the dead-letter topic. */
  readonly isTransient: (error: unknown) => boolean;
  /** A consumer is lost permanently and the process has to exit. Called at most once per consumer. */
  readonly onLost: (error: Error) => void;
  /** How many requests may wait for a reply, and how many messages may wait in the producer buffer. */
  readonly maxWaiting?: number;
  /** A partition with more unfinished commands than this is paused until half of them are done. */
  readonly maxUnfinishedPerPartition?: number;
  /** A consumer that has had no contact with Kafka for this long is lost. By default it keeps trying. */
  readonly lostAfterMs?: number;
  /** The partitions of a killed replica move to others after this time. The broker must allow it. */
  readonly sessionTimeoutMs?: number;
}

export const defaults = {
  topicPrefix: '',
  replyTimeoutMs: 8_000,
  maxWaiting: 10_000,
  maxUnfinishedPerPartition: 1_000,
  lostAfterMs: Infinity,
  sessionTimeoutMs: 10_000,
};

/** Too many messages are waiting. The command was not sent and can be repeated shortly. */
export class BusOverloaded extends NoReply {
  constructor(label: string) {
    super(`${label} was not sent: too many messages are waiting; repeat it in a moment`);
    this.name = 'BusOverloaded';
  }
}
