import type { Actor, Command } from '@florin/kernel';

/** Metadata of a command: its origin and its trace. */
export interface MessageHeaders {
  /** The same for everything that follows from one request. */
  readonly correlationId: string;
  /** The direct cause of this message: a request id, or the id of the event that a process reacted to. */
  readonly causationId: string;
  /** Who caused it. Stored with every event that the command leads to. */
  readonly actor: Actor;
  /** W3C trace context, present while the request is traced. */
  readonly traceparent?: string;
}

export interface CommandMessage<C extends Command<string, unknown> = Command<string, unknown>> {
  /** The context that handles it, through the topic `<context>.commands`. */
  readonly context: string;
  /** Commands with the same key are delivered in the order in which they were sent. */
  readonly key: string;
  /** Identifies the command: a redelivery has the same id. */
  readonly id: string;
  readonly command: C;
  readonly headers: MessageHeaders;
}

/** The id of a command and its headers. A repeat has the same id; commands of other streams never do. */
export type CommandContext = Pick<CommandMessage, 'id' | 'headers'>;

/**
 * Delivers commands to the one context that handles them, at least once, ordered per key, as JSON.
 * `testing/command-bus.contract.ts` specifies the behavior of every adapter.
 */
export interface CommandBus {
  /** Waits for the handler's reply. Rejects with `NoReply` on a timeout: the outcome is then unknown. */
  request<Reply>(message: CommandMessage): Promise<Reply>;
  /** Resolves when the command is accepted, without waiting for the handler. */
  send(message: CommandMessage): Promise<void>;
}

/** No reply in time, or the handler failed. The command may have been executed: repeat it with the same id. */
export class NoReply extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoReply';
  }
}

/** The Nest message pattern of a command. */
export function patternOf(context: string, commandType: string): string {
  return `${context}.commands/${commandType}`;
}
