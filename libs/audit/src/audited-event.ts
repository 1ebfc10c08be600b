import { type Money, parseMoney } from '@florin/kernel';

/** An event as plain data. The audit uses none of the code that wrote the event, so it cannot repeat its bugs. */
export interface AuditedEvent {
  readonly stream: string;
  readonly revision: number;
  /** The place in the log. */
  readonly position: bigint;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** JSON. Absent where the reader has no metadata. */
  readonly metadata?: string;
}

/** Reports what is wrong with an event. */
export type Flaw = (text: string) => void;

/** Reports what is wrong with an event after the last one. */
export type FlawAt = (event: Pick<AuditedEvent, 'stream' | 'revision' | 'type'>, text: string) => void;

export interface Finding {
  /** A stream, followed by `@` and a revision if the finding is about one event. */
  readonly at: string;
  readonly text: string;
}

export function locationOf({ stream, revision }: Pick<AuditedEvent, 'stream' | 'revision'>): string {
  return `${stream}@${revision}`;
}

export function textIn(data: unknown, field: string): string {
  const value = fieldOf(data, field);
  if (typeof value !== 'string') throw new Error(`"${field}" is missing or not a string`);
  return value;
}

export function moneyIn(data: unknown, field: string): Money {
  const value = textIn(data, field);
  try {
    return parseMoney(value);
  } catch {
    throw new Error(`"${field}" is not an amount: ${value}`);
  }
}

export function fieldOf(data: unknown, field: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[field] : undefined;
}

/** An actor as one text, such as `operator bootstrap`. */
export function actorIn(data: unknown, field: string): string {
  const actor = fieldOf(data, field);
  return `${textIn(actor, 'kind')} ${textIn(actor, 'id')}`;
}

/** Who caused the event; undefined if its metadata do not name an actor. */
export function causeOf({ metadata }: AuditedEvent): string | undefined {
  const parsed: unknown = JSON.parse(metadata ?? '{}');
  return fieldOf(parsed, 'actor') === undefined ? undefined : actorIn(parsed, 'actor');
}
