import { NoReply } from '@florin/event-sourcing';

export interface BusLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaCommandBusOptions {
  /** What Kafka calls this client; a part of the reply topic's name. */
  readonly service: string;
  readonly brokers: readonly string[];
  /** Stands before the name of every topic and consumer group. */
  readonly topicPrefix?: string;
  /** Of a commands topic that is made anew; one that exists keeps its own, because keys are spread over them. */
  readonly partitions: number;
  /** Absent: the broker's default. */
  readonly replicationFactor?: number;
  readonly ssl?: boolean;
  readonly sasl?: KafkaSasl;
  readonly replyTimeoutMs?: number;
  readonly log: BusLog;
  /** Whether a handler's failure passes by itself: such a command is worth repeating, any other is set aside. */
  readonly isTransient: (error: unknown) => boolean;
  /** A consumer is dead for good: the process has to end. Called at most once per consumer. */
  readonly onLost: (error: Error) => void;
  /** So many requests may wait for a reply, and so many messages for Kafka to take them. */
  readonly maxWaiting?: number;
  /** A partition that has more commands under way than this is not read further until half of them are done. */
  readonly maxUnfinishedPerPartition?: number;
  /** A consumer that could not work for so long is lost. */
  readonly lostAfterMs?: number;
}

export const defaults = {
  topicPrefix: '',
  replyTimeoutMs: 10_000,
  maxWaiting: 10_000,
  maxUnfinishedPerPartition: 1_000,
  lostAfterMs: 120_000,
};

/** Too much is waiting already. Nothing was sent: the command has not happened, and may be repeated in a moment. */
export class BusOverloaded extends NoReply {
  constructor(label: string) {
    super(`${label} was not sent, because too much is waiting already; repeat it in a moment`);
    this.name = 'BusOverloaded';
  }
}
