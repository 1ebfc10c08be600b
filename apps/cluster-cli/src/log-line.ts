import type { Level } from './log-choice';

/** A line that a process printed: the fields of a JSON log line, or text. */
export interface LogLine {
  readonly level: Level;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
}

const levels: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** A service prints plain text only when something fails unexpectedly; backing services always do. */
export function readLogLine(service: string, text: string): LogLine {
  const fields = fieldsIn(text);
  if (fields) return { level: levelOf(fields['level']), fields, text };
  const isService = /-\d+$/.test(service);
  const named = /^(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b/.exec(text)?.[1]?.toLowerCase();
  return { level: levelOf(named ?? (isService ? 'warn' : 'info')), fields: undefined, text };
}

function fieldsIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function levelOf(level: unknown): Level {
  return levels.includes(String(level)) ? (level as Level) : 'info';
}
