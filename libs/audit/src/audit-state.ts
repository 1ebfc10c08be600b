import { HashChains, newScan, type Position, type ScanState } from '@florin/event-sourcing';
import type { Finding } from './audited-event';
import { LedgerAudit } from './ledger-audit';
import { AuditedOperations, type StoredAuditedOperations } from './audited-operations';

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

/** The state as plain data, in the form in which it is stored, such as by `v8.serialize`. */
export interface StoredAudit extends Omit<AuditState, 'ledger'> {
  readonly ledger: object;
  readonly operations: StoredAuditedOperations;
}

export function storedAudit({ ledger, ...others }: AuditState): StoredAudit {
  return { ...others, ledger: { ...ledger, operations: undefined }, operations: ledger.operations.stored() };
}

/** Storing loses the classes. */
export function restoredAudit({ ledger, operations, ...stored }: StoredAudit): AuditState {
  const chains = HashChains.from(stored.chains);
  const allChains = stored.allChains === stored.chains ? chains : HashChains.from(stored.allChains);
  const fields = { ...ledger, operations: AuditedOperations.from(operations) } as unknown as LedgerAudit;
  return { ...stored, chains, allChains, ledger: LedgerAudit.from(fields) };
}
