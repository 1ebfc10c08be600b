import type { Command } from '@florin/kernel';

/** What travels beside a command: who asked, and the trace it belongs to. */
export interface MessageHeaders {
  /** The same for everything that follows from one request. */
  readonly correlationId: string;
  /** What directly caused this message: a request id, or the id of the event that a process reacted to. */
  readonly causationId: string;
  /** W3C trace context, present while the request is being traced. */
  readonly traceparent?: string;
}

export interface CommandMessage<C extends Command<string, unknown> = Command<string, unknown>> {
  /** The context that handles it: it is published on `<context>.commands`. */
  readonly context: string;
  /** Commands with the same key arrive in the order in which they were sent. */
  readonly key: string;
  /** Identifies the wish: a redelivery has the same id. */
  readonly id: string;
  readonly command: C;
  readonly headers: MessageHeaders;
}

/**
 * Carries commands to the one context that handles them, at least once, ordered per key, as JSON.
 * What every adapter promises is written down as tests in `testing/command-bus.contract.ts`.
 */
export interface CommandBus {
  /** Waits for the handler's reply. Rejects with `NoReply` when none came in time: the outcome is then unknown. */
  request<Reply>(message: CommandMessage): Promise<Reply>;
  /** Resolves once the command is safely handed over; nobody waits for the handler. */
  send(message: CommandMessage): Promise<void>;
}

/** No answer in time, or the handler failed. The command may or may not have happened: repeat it with the same id. */
export class NoReply extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoReply';
  }
}

/** What a handler sees as Nest's message pattern. */
export function patternOf(context: string, commandType: string): string {
  return `${context}.commands/${commandType}`;
}
