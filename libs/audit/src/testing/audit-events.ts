import { LedgerAudit, type LedgerFindings } from '../ledger-audit';
import type { SampleEvent } from './sample-log';

type StoredEvent = Pick<SampleEvent, 'stream' | 'revision' | 'type' | 'data'> & Partial<SampleEvent>;

export function audit(
  events: readonly StoredEvent[],
  only?: string,
): LedgerFindings & { readonly ledger: LedgerAudit } {
  const ledger = new LedgerAudit(only);
  for (const event of events) ledger.add({ ...event, data: JSON.parse(event.data) as Record<string, unknown> });
  return { ledger, ...ledger.close() };
}

/** The flaws of a log as `stream@revision: text`. */
export function flawsIn(events: readonly StoredEvent[]): readonly string[] {
  return audit(events).flaws.map(({ at, text }) => `${at}: ${text}`);
}
