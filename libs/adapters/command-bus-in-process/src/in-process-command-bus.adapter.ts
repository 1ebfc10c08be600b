import { type CommandBus, type CommandMessage, NoReply } from '@florin/event-sourcing';
import { InProcessTransport } from './in-process-transport';

export interface InProcessCommandBusOptions {
  readonly replyTimeoutMs?: number;
  /** No caller waits for a sent command, so the bus reports its failure here. */
  readonly onFailedSend: (error: unknown, message: CommandMessage) => void;
}

/**
 * The command bus of the single-process composition. Messages and replies are serialized to JSON, so data that Kafka
 * could not carry fails here as well.
 *
 * Order per key needs no queue: every message takes the same number of event loop turns to its handler, and handlers
 * put it into a mailbox immediately. The bus does not await a reply before it delivers the next message.
 */
export class InProcessCommandBus implements CommandBus {
  /** The transport strategy for Nest: `createMicroservice(module, { strategy: bus.transport })`. */
  readonly transport = new InProcessTransport();

  constructor(private readonly options: InProcessCommandBusOptions) {}

  request<Reply>(message: CommandMessage): Promise<Reply> {
    const wire = JSON.stringify(message);
    const milliseconds = this.options.replyTimeoutMs ?? 8_000;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new NoReply(`${message.command.type} got no reply within ${milliseconds} ms; its outcome is unknown`));
      }, milliseconds);
      const answered = (reply: string): void => {
        clearTimeout(timer);
        resolve(JSON.parse(reply) as Reply);
      };
      const failed = (error: unknown): void => {
        clearTimeout(timer);
        reject(error as Error);
      };
      this.transport.deliver(wire).then(answered, failed);
    });
  }

  async send(message: CommandMessage): Promise<void> {
    this.transport
      .deliver(JSON.stringify(message))
      .catch((error: unknown) => this.options.onFailedSend(error, message));
  }
}
