import { HashChains, newScan, type Position, type ScanState } from '@florin/event-sourcing';
import type { Finding } from './audited-event';
import { LedgerAudit } from './ledger-audit';
import type { OperationAudit } from './operation-audit';

/** What an audit knows after the events that it has read. A later audit continues from it. */
export interface AuditState {
  readonly scan: ScanState;
  /** Of the audited streams. */
  readonly chains: HashChains;
  /** The checkpoints cover all streams, the audit possibly one account: then the chains differ. */
  readonly allChains: HashChains;
  readonly ledger: LedgerAudit;
  /** Position of the newest audited event, by category and by type. */
  readonly lastOf: { readonly category: Map<string, Position>; readonly type: Map<string, Position> };
  readonly unreadable: Finding[];
  /** The number of audited events. */
  events: number;
}

/** @param account the stream of the only account to audit; all accounts if absent. */
export function newAudit(account?: string): AuditState {
  const chains = new HashChains();
  const allChains = account === undefined ? chains : new HashChains();
  const lastOf = { category: new Map(), type: new Map() };
  return { scan: newScan(), chains, allChains, ledger: new LedgerAudit(account), lastOf, unreadable: [], events: 0 };
}

/** The state as a structured clone, such as that of `v8.serialize`, returns it: without classes. */
export function restoredAudit(stored: AuditState): AuditState {
  const chains = HashChains.from(stored.chains);
  const allChains = stored.allChains === stored.chains ? chains : HashChains.from(stored.allChains);
  const ledger = LedgerAudit.from(stored.ledger);
  shareTexts(ledger.operations.values());
  return { ...stored, chains, allChains, ledger };
}

const repeated = ['account', 'payer', 'reservation', 'orphan', 'type', 'cardId', 'status', 'decision'] as const;

/** Each occurrence of a stored text is read as a new one, but millions of operations have the same texts. */
function shareTexts(operations: Iterable<OperationAudit>): void {
  const texts = new Map<unknown, unknown>();
  for (const operation of operations) {
    const fields: Partial<Record<(typeof repeated)[number], unknown>> = operation;
    for (const name of repeated) {
      const text = fields[name];
      const known = texts.get(text);
      if (known === undefined) texts.set(text, text);
      else fields[name] = known;
    }
  }
}
