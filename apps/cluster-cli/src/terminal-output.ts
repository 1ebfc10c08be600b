import type { ServiceState } from '@florin/dev-platform';
import type { Level, LogChoice } from './log-choice';
import { type LogLine, readLogLine } from './log-line';
import type { Output } from './output';

const colors: Readonly<Record<Level, number>> = { fatal: 31, error: 31, warn: 33, info: 32, debug: 36, trace: 90 };
const stateColors: Readonly<Record<ServiceState, number>> = {
  ...{ starting: 90, ready: 32, unready: 33 },
  ...{ stopping: 90, stopped: 90, crashed: 31 },
};
const nameColors = [36, 35, 34, 33, 32, 96, 95, 94, 93, 92];
const nameWidth = 'webhook-dispatcher-1'.length;

/** For terminals: the name of the process in its color, and then its line. */
export class TerminalOutput implements Output {
  private readonly colorsByService = new Map<string, number>();

  constructor(
    private readonly logs: LogChoice,
    private readonly write: (text: string) => void,
  ) {}

  line(service: string, text: string): void {
    const line = readLogLine(service, text);
    if (this.logs.shows(service, line.level)) this.write(`${this.name(service)} ${readable(line)}\n`);
  }

  state(service: string, state: ServiceState): void {
    this.write(`${this.name(service)} ${paint(stateColors[state], state)}\n`);
  }

  info(text: string): void {
    this.write(`${text}\n`);
  }

  show(table: string): void {
    this.write(`\n${table}\n\n`);
  }

  fail(text: string): void {
    this.write(`${paint(31, text)}\n`);
  }

  private name(service: string): string {
    const color = this.colorsByService.get(service) ?? nameColors[this.colorsByService.size % nameColors.length]!;
    this.colorsByService.set(service, color);
    return paint(color, service.padEnd(nameWidth));
  }
}

function readable({ fields, text }: LogLine): string {
  if (!fields) return text;
  const { time, level, msg, err, ...details } = fields;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const rest = Object.entries(details).map(([key, value]) => `${key}=${shown(value)}`);
  const stack = err === undefined ? '' : `\n${(err as { stack?: string }).stack ?? shown(err)}`;
  const color = colors[level as Level] ?? 0;
  return `${paint(90, clock)} ${paint(color, String(level))} ${shown(msg ?? '')} ${paint(90, rest.join(' '))}${stack}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function paint(color: number, text: string): string {
  return `\u001b[${color}m${text}\u001b[0m`;
}
