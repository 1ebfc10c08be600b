import { assert } from '@florin/kernel';
import type { WebhookEvent } from '../event-types';

/** The webhook event derived from an event of the log: the object as in the API from then on. */
export interface Derived<ApiObject> {
  readonly type: WebhookEvent['type'];
  readonly object: ApiObject;
}

/** The object after the previous event. */
export function requirePrevious<ApiObject>(
  previous: ApiObject | undefined,
  { type }: { readonly type: string },
): ApiObject {
  assert(previous !== undefined, () => `${type} changes an object that was not published before`);
  return previous;
}

/** An update, unless nothing has changed. */
export function updated<ApiObject extends object>(
  type: WebhookEvent['type'],
  previous: ApiObject,
  changes: Partial<ApiObject>,
): Derived<ApiObject> | undefined {
  const isNew = Object.entries(changes).some(([name, value]) => previous[name as keyof ApiObject] !== value);
  return isNew ? { type, object: { ...previous, ...changes } } : undefined;
}
