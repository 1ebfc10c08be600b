import type { MissingEvents } from '@florin/event-sourcing';
import type { Finding } from './audited-event';

/** What is wrong with an event that was changed, inserted or follows a removed one. */
export const brokenChain = 'does not continue the hash chain of its stream';

export function describeMissing({ from, to }: MissingEvents): Finding {
  return from === to
    ? { at: `position ${from}`, text: 'the event was removed' }
    : { at: `positions ${from} to ${to}`, text: 'the events were removed' };
}
