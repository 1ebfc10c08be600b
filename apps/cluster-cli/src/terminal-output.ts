import { prettyFactory } from 'pino-pretty';
import { JsonOutput } from './json-output';
import type { LogChoice } from './log-choice';

/** Formats the lines of JsonOutput for terminals, and prints the table that JsonOutput omits. */
export class TerminalOutput extends JsonOutput {
  constructor(
    logs: LogChoice,
    private readonly print: (text: string) => void,
  ) {
    const messageFormat = '{service} {msg}';
    // Already part of the message.
    const ignore = 'service,process,state';
    const options = { colorize: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', messageFormat, ignore };
    const prettify = prettyFactory(options);
    super(logs, (line) => print(prettify(line)));
  }

  override show(table: string): void {
    this.print(`\n${table}\n\n`);
  }
}
