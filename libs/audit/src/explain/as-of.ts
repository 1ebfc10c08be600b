import type { LoggedEvent } from './logged-event';

/** Up to which event an explanation goes: a position in the log (inclusive), or a time (exclusive). Neither means the newest. */
export interface AsOf {
  readonly position?: bigint;
  readonly before?: Date;
}

const dayMs = 24 * 60 * 60 * 1000;
const position = /^[1-9]\d{0,17}$/;
const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A position, a UTC date (including that day), or a time with an offset (including that millisecond); else undefined. */
export function parseAsOf(text: string): AsOf | undefined {
  if (position.test(text)) return { position: BigInt(text) };
  if (day.test(text)) return before(Date.parse(`${text}T00:00:00.000Z`) + dayMs, text);
  return instant.test(text) ? before(Date.parse(text) + 1) : undefined;
}

/** A day that does not exist, such as February 30, is invalid. */
function before(time: number, ofDay?: string): AsOf | undefined {
  if (Number.isNaN(time)) return undefined;
  if (ofDay !== undefined && new Date(time - dayMs).toISOString().slice(0, 10) !== ofDay) return undefined;
  return { before: new Date(time) };
}

export function isUpTo(asOf: AsOf, { position, recordedAt }: Pick<LoggedEvent, 'position' | 'recordedAt'>): boolean {
  if (asOf.position !== undefined && position > asOf.position) return false;
  return asOf.before === undefined || Date.parse(recordedAt) < asOf.before.getTime();
}
