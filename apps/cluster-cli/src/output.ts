import type { ServiceState } from '@florin/dev-platform';

/** Where the cluster reports what happens. */
export interface Output {
  /** A line that a process printed. */
  line(service: string, text: string): void;
  state(service: string, state: ServiceState): void;
  /** A message of the cluster itself. */
  info(text: string): void;
  /** For terminals only. */
  show(table: string): void;
  fail(text: string): void;
}
