import { type Money, parseMoney } from '@florin/kernel';

/** An event as plain data: none of the code that wrote it makes sense of it here, so that it cannot repeat its errors. */
export interface AuditedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Something that was found, and where: a stream and, where one event shows it, its revision. */
export interface Remark {
  readonly at: string;
  readonly text: string;
}

export function placeOf({ stream, revision }: Pick<AuditedEvent, 'stream' | 'revision'>): string {
  return `${stream}@${revision}`;
}

export function textIn(data: unknown, field: string): string {
  const value = fieldOf(data, field);
  if (typeof value !== 'string') throw new Error(`it has no text "${field}"`);
  return value;
}

export function moneyIn(data: unknown, field: string): Money {
  const value = textIn(data, field);
  try {
    return parseMoney(value);
  } catch {
    throw new Error(`its "${field}" is not an amount: ${value}`);
  }
}

export function fieldOf(data: unknown, field: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[field] : undefined;
}
