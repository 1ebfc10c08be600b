import type { CommandContext } from './command-context';

/** An item in the mailbox of a stream. */
export type Waiting<State, C, Reply> = WaitingCommand<C, Reply> | WaitingReader<State>;

interface WaitingCommand<C, Reply> {
  readonly command: C;
  readonly context: CommandContext;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingReader<State> {
  readonly maxAgeMs: number;
  readonly view: (state: State) => () => void;
  readonly reject: (error: unknown) => void;
}

export function isReader<State, C, Reply>(waiting: Waiting<State, C, Reply>): waiting is WaitingReader<State> {
  return 'view' in waiting;
}
