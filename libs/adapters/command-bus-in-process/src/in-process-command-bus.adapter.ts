import { type CommandBus, type CommandMessage, NoReply } from '@florin/event-sourcing';
import { InProcessTransport } from './in-process-transport';

export interface InProcessCommandBusOptions {
  readonly replyTimeoutMs?: number;
  /** Nobody waits for a sent command, so its failure has to be told to somebody. */
  readonly onFailedSend: (error: unknown, message: CommandMessage) => void;
}

/**
 * The bus of the one-process composition. Messages and replies travel as JSON text: what would not survive a wire does
 * not pass here either.
 *
 * Order per key needs no queue. Every message takes the same number of turns of the event loop to its handler, and
 * handlers put it into a mailbox at once; a reply is not awaited before the next message is delivered.
 */
export class InProcessCommandBus implements CommandBus {
  /** Where a Nest application listens: `createMicroservice(module, { strategy: bus.transport })`. */
  readonly transport = new InProcessTransport();

  constructor(private readonly options: InProcessCommandBusOptions) {}

  request<Reply>(message: CommandMessage): Promise<Reply> {
    const wire = JSON.stringify(message);
    const milliseconds = this.options.replyTimeoutMs ?? 10_000;
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
