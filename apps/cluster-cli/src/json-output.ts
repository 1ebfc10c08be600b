import type { ServiceState } from '@florin/dev-platform';
import type { LogChoice } from './log-choice';
import { readLogLine } from './log-line';

/** For programs: one JSON object per line. Lines of a service get its name as the first field. */
export class JsonOutput {
  constructor(
    private readonly logs: LogChoice,
    private readonly write: (text: string) => void,
  ) {}

  line(service: string, text: string): void {
    const { level, fields } = readLogLine(service, text);
    if (!this.logs.shows(service, level)) return;
    if (fields) this.write(`{"service":${JSON.stringify(service)},${text.slice(text.indexOf('{') + 1)}\n`);
    else this.object({ service, level, msg: text });
  }

  state(service: string, state: ServiceState): void {
    const level = state === 'crashed' || state === 'unready' ? 'warn' : 'info';
    this.object({ service: 'cluster', level, process: service, state, msg: `${service} is ${state}` });
  }

  info(text: string): void {
    this.object({ service: 'cluster', level: 'info', msg: text });
  }

  /** A table, for terminals only: the states contain the same information. */
  show(_table: string): void {
    // Nothing to print.
  }

  fail(text: string): void {
    this.object({ service: 'cluster', level: 'fatal', msg: text });
  }

  private object({ service, level, ...rest }: Record<string, string>): void {
    this.write(`${JSON.stringify({ service, level, time: new Date().toISOString(), ...rest })}\n`);
  }
}
