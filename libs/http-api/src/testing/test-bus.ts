import type { CommandBus, CommandMessage, CommandReply } from '@florin/event-sourcing';
import { refuse } from '@florin/kernel';

type Reply = CommandReply<unknown>;

/** Collects the commands that the API sends, and returns the configured reply. */
export class TestBus implements CommandBus {
  readonly sent: CommandMessage[] = [];
  /** Called when a command arrives. */
  onRequest?: () => void;
  private reply: Reply = { ok: true, repeated: false, answer: null };

  async request<Answer>(message: CommandMessage): Promise<Answer> {
    this.sent.push(message);
    this.onRequest?.();
    return this.reply as Answer;
  }

  async send(): Promise<void> {
    throw new Error('The gateway waits for every command');
  }

  accept(answer: unknown, repeated = false): void {
    this.reply = { ok: true, repeated, answer };
  }

  refuse(code: string, message: string): void {
    this.reply = { ok: false, refusal: refuse(code, message) };
  }

  get last(): CommandMessage | undefined {
    return this.sent.at(-1);
  }

  clear(): void {
    this.sent.length = 0;
    this.onRequest = undefined;
    this.accept(null);
  }
}
