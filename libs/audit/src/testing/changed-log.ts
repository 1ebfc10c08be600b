import type { Finding } from '../audited-event';
import { audit } from './audit-events';
import type { SampleEvent } from './sample-log';

type Change = (event: SampleEvent) => readonly SampleEvent[];

/** A name, the place of an event in the sample, its change, and the expected finding. */
export type ChangeCase = readonly [name: string, at: string, change: Change, expected: RegExp];

export function linesOf(findings: readonly Finding[]): string {
  return findings.map(({ at, text }) => `${at}: ${text}`).join('\n');
}

export function flawsOf(events: readonly SampleEvent[]): string {
  return linesOf(audit(events).flaws);
}

/** The log with one event changed, removed or duplicated. */
export function changed(log: readonly SampleEvent[], at: string, change: Change): readonly SampleEvent[] {
  const events = log.flatMap((event) => (`${event.stream}@${event.revision}` === at ? change(event) : [event]));
  expect(events).not.toEqual(log);
  return events;
}

export const remove: Change = () => [];

export const twice: Change = (event) => [event, event];

export const as =
  (type: string): Change =>
  (event) => [{ ...event, type }];

export const set =
  (path: readonly string[], value: unknown): Change =>
  (event) => {
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const holder = path.slice(0, -1).reduce((inner, name) => inner[name] as Record<string, unknown>, data);
    holder[path.at(-1)!] = value;
    return [{ ...event, data: JSON.stringify(data) }];
  };
