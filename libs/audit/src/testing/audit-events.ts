import type { MoneyText } from '@florin/kernel';
import { LedgerAudit, type LedgerFindings } from '../ledger-audit';
import type { SampleEvent } from './sample-log';

type StoredEvent = Pick<SampleEvent, 'stream' | 'revision' | 'type' | 'data'> &
  Partial<SampleEvent> & { readonly position?: bigint };

export function audit(
  events: readonly StoredEvent[],
  only?: string,
  fourEyesAmount?: MoneyText,
): LedgerFindings & { readonly ledger: LedgerAudit } {
  const ledger = new LedgerAudit(only);
  for (const [index, event] of events.entries()) {
    const data = JSON.parse(event.data) as Record<string, unknown>;
    ledger.add({ position: BigInt(index + 1), ...event, data });
  }
  return { ledger, ...ledger.close(fourEyesAmount) };
}

/** The flaws of a log as `stream@revision: text`. */
export function flawsIn(events: readonly StoredEvent[]): readonly string[] {
  return audit(events).flaws.map(({ at, text }) => `${at}: ${text}`);
}
