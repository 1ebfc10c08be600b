import type { DestinationStream } from 'pino';

const colours: Readonly<Record<string, number>> = { fatal: 31, error: 31, warn: 33, info: 32, debug: 36, trace: 90 };

/** The same lines for a person at a terminal: time, level, message, and the details behind it in grey. */
export function terminalLines(write: (text: string) => void): DestinationStream {
  return { write: (line) => write(`${readable(JSON.parse(line) as Record<string, unknown>)}\n`) };
}

function readable({ time, level, msg, err, ...details }: Record<string, unknown>): string {
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const rest = Object.entries(details).map(([key, value]) => `${key}=${shown(value)}`);
  const stack = err === undefined ? '' : `\n${(err as { stack?: string }).stack ?? shown(err)}`;
  return `${paint(90, clock)} ${paint(colours[String(level)] ?? 0, String(level))} ${shown(msg ?? '')} ${paint(90, rest.join(' '))}${stack}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function paint(colour: number, text: string): string {
  return `\u001b[${colour}m${text}\u001b[0m`;
}
