import type { Probe } from './probe';

/** A Node program to keep running, and how to tell that it is of use. */
export interface Program {
  /** Of this very copy, such as `operations-2`. */
  readonly name: string;
  readonly service: string;
  readonly file: string;
  readonly arguments: (port: number) => readonly string[];
  readonly env: (port: number) => Readonly<Record<string, string>>;
  readonly probe: Probe;
  /** Always this one, for a program whose users cannot be told of another; any free one where absent. */
  readonly port?: number;
  /** So long may its stop take before it is killed. */
  readonly patienceMs: number;
}
