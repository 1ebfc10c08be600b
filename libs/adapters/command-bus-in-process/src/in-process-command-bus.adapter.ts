import { type CommandBus, type CommandMessage, NoReply } from '@florin/event-sourcing';
import { InProcessTransport } from './in-process-transport';
import { jsonCopy } from './json-copy';

export interface InProcessCommandBusOptions {
  readonly replyTimeoutMs?: number;
  /** No caller waits for a sent command, so the bus reports its failure here. */
  readonly onFailedSend: (error: unknown, message: CommandMessage) => void;
}

/**
 * The command bus of the single-process composition. Messages and replies are JSON copies, so receivers share nothing with
 * senders, and get what Kafka would deliver.
 *
 * Order per key needs no queue: every message takes the same number of event loop turns to its handler, and handlers
 * put it into a mailbox immediately. The bus does not await a reply before it delivers the next message.
 */
export class InProcessCommandBus implements CommandBus {
  /** The transport strategy for Nest: `createMicroservice(module, { strategy: bus.transport })`. */
  readonly transport = new InProcessTransport();

  constructor(private readonly options: InProcessCommandBusOptions) {}

  request<Reply>(message: CommandMessage): Promise<Reply> {
    const copy = jsonCopy(message) as CommandMessage;
    const milliseconds = this.options.replyTimeoutMs ?? 8_000;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new NoReply(`${message.command.type} got no reply within ${milliseconds} ms; its outcome is unknown`));
      }, milliseconds);
      const answered = (reply: unknown): void => {
        clearTimeout(timer);
        resolve(reply as Reply);
      };
      const failed = (error: unknown): void => {
        clearTimeout(timer);
        reject(error as Error);
      };
      this.transport.deliver(copy).then(answered, failed);
    });
  }

  async send(message: CommandMessage): Promise<void> {
    this.transport
      .deliver(jsonCopy(message) as CommandMessage)
      .catch((error: unknown) => this.options.onFailedSend(error, message));
  }
}
