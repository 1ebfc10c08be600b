import type { CommandContext } from './ports/command-bus.port';

/** An item in the mailbox of a stream. */
export type MailboxItem<State, C, Reply> = QueuedCommand<C, Reply> | QueuedRead<State>;

interface QueuedCommand<C, Reply> {
  readonly command: C;
  readonly context: CommandContext;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

interface QueuedRead<State> {
  readonly maxAgeMs: number;
  readonly view: (state: State) => () => void;
  readonly reject: (error: unknown) => void;
}

export function isReader<State, C, Reply>(item: MailboxItem<State, C, Reply>): item is QueuedRead<State> {
  return 'view' in item;
}
