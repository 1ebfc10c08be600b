import type { MessageHeaders } from './ports/command-bus.port';

export interface CommandContext {
  /** The id of the wish: a repeat carries the same one, and a wish of another stream never does. */
  readonly id: string;
  readonly headers: MessageHeaders;
}
