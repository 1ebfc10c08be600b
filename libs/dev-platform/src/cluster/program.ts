import type { ReadinessProbe } from './readiness-probe';

/** A Node.js program to keep running, and how to check that it is ready. */
export interface Program {
  /** The name of this replica, such as `operations-2`. */
  readonly name: string;
  readonly service: string;
  readonly file: string;
  /** The port of every run. Without it, each run gets a free one. */
  readonly port?: number;
  readonly arguments: (port: number) => readonly string[];
  readonly env: (port: number) => Readonly<Record<string, string>>;
  readonly probe: ReadinessProbe;
  /** After this time a stop becomes a kill. */
  readonly stopTimeoutMs: number;
}
