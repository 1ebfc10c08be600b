import type { MessageHeaders } from './ports/command-bus.port';

export interface CommandContext {
  /** The id of the command. A repeat has the same id; commands of other streams never do. */
  readonly id: string;
  readonly headers: MessageHeaders;
}
