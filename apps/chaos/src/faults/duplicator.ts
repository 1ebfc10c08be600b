import type { BusKeys } from '@florin/bus-trust';
import { MessageSigner } from '@florin/command-bus-kafka';
import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, Kafka, KafkaMessage, Message, Producer } from 'kafkajs';
import type { Random } from '../random';

export interface DuplicatorOptions {
  /** Connected to the broker, with every right. */
  readonly kafka: Kafka;
  readonly topicPrefix: string;
  /** Of all services, so that a copy can be signed as its sender would. */
  readonly busKeys: BusKeys;
  readonly random: Random;
}

interface SentCommand {
  readonly topic: string;
  readonly message: KafkaMessage;
}

/** The share of commands that is resent immediately, and how many are kept to be resent much later. */
const immediateShare = 0.08;
const maxKept = 2_000;
/** Marks copies: `signed` like another attempt of the sender, or `exact`, which a receiver must not trust. */
export const copyHeader = 'chaos-copy';
const exactShare = 0.25;
/** What a sender adds to every attempt. */
const ofOneAttempt = ['sender', 'sent-at', 'message-id', 'signature'];

/**
 * Resends commands of other producers: delivery is at least once, so this may happen at any time. Most copies are signed
 * again and must change nothing; exact ones have to be rejected, unless their receiver has restarted.
 */
export class Duplicator {
  copies = 0;
  private readonly kafka: Kafka;
  private readonly producer: Producer;
  private readonly signers = new Map<string, MessageSigner>();
  private readonly sent: SentCommand[] = [];
  private seen = 0;
  private consumer: Consumer | undefined;
  private stopped = false;

  constructor(private readonly options: DuplicatorOptions) {
    this.kafka = options.kafka;
    // A retry inside the client would be an exact copy of a signed one.
    this.producer = this.kafka.producer({ retry: { retries: 0 } });
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

  private async send(command: SentCommand): Promise<void> {
    const { topic } = command;
    const copy = this.options.random.chance(exactShare) ? exactCopy(command) : this.signedCopy(command);
    try {
      await this.producer.send({ topic, messages: [copy] });
      this.copies += 1;
    } catch {
      // The broker is down; this copy is skipped.
    }
  }

  private signedCopy({ topic, message: { key, value, headers = {} } }: SentCommand): Message {
    const sender = String(headers['sender']);
    const context = topic.slice(this.options.topicPrefix.length, -'.commands'.length);
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneAttempt.includes(name)));
    return this.signerOf(sender).signCommand(
      { key, value, headers: { ...kept, [copyHeader]: 'signed' } },
      context,
      topic,
    );
  }

  private signerOf(sender: string): MessageSigner {
    const known = this.signers.get(sender);
    if (known !== undefined) return known;
    const signer = new MessageSigner(sender, { keysOf: this.options.busKeys.keysOf(), isPermitted: () => true });
    this.signers.set(sender, signer);
    return signer;
  }
}

function exactCopy({ message: { key, value, headers } }: SentCommand): Message {
  return { key, value, headers: { ...headers, [copyHeader]: 'exact' } };
}
