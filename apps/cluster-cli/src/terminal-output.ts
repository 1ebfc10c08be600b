import { prettyFactory } from 'pino-pretty';
import { JsonOutput } from './json-output';
import type { LogChoice } from './log-choice';

/** For terminals: the same lines, readable. */
export class TerminalOutput extends JsonOutput {
  constructor(
    logs: LogChoice,
    private readonly print: (text: string) => void,
  ) {
    const messageFormat = '{service} {msg}';
    const ignore = 'service,process,state';
    const options = { colorize: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', messageFormat, ignore };
    const prettify = prettyFactory(options);
    super(logs, (line) => print(prettify(line)));
  }

  override show(table: string): void {
    this.print(`\n${table}\n\n`);
  }
}
