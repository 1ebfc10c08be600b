import type { ServiceState } from '@florin/dev-platform';

/** Where the cluster tells what happens. */
export interface Output {
  /** A line that a process printed. */
  line(service: string, text: string): void;
  state(service: string, state: ServiceState): void;
  /** A word of the cluster itself. */
  tell(text: string): void;
  /** Only for people. */
  show(table: string): void;
  fail(text: string): void;
}
