import { assert } from '@florin/kernel';
import type { WebhookEvent } from '../event-types';

/** What an event of the log tells a company: the object as the API shows it from then on. */
export interface Derived<Shown> {
  readonly type: WebhookEvent['type'];
  readonly object: Shown;
}

/** The object as the event before this one has left it. */
export function known<Shown>(previous: Shown | undefined, { type }: { readonly type: string }): Shown {
  assert(previous !== undefined, () => `${type} tells of a change of something that no event has told of`);
  return previous;
}

/** An update, unless nothing of it is new. */
export function updated<Shown extends object>(
  type: WebhookEvent['type'],
  previous: Shown,
  changes: Partial<Shown>,
): Derived<Shown> | undefined {
  const isNew = Object.entries(changes).some(([name, value]) => previous[name as keyof Shown] !== value);
  return isNew ? { type, object: { ...previous, ...changes } } : undefined;
}
