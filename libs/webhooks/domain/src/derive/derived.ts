import { assert } from '@florin/kernel';
import type { WebhookEvent } from '../event-types';

/** The webhook event derived from an event of the log: the object as in the API from then on. */
export interface Derived<Shown> {
  readonly type: WebhookEvent['type'];
  readonly object: Shown;
}

/** The object after the previous event. */
export function known<Shown>(previous: Shown | undefined, { type }: { readonly type: string }): Shown {
  assert(previous !== undefined, () => `${type} changes an object that was not published before`);
  return previous;
}

/** An update, unless nothing has changed. */
export function updated<Shown extends object>(
  type: WebhookEvent['type'],
  previous: Shown,
  changes: Partial<Shown>,
): Derived<Shown> | undefined {
  const isNew = Object.entries(changes).some(([name, value]) => previous[name as keyof Shown] !== value);
  return isNew ? { type, object: { ...previous, ...changes } } : undefined;
}
