import {
  beforeFirst,
  categoryOf,
  dataOf,
  type LogEvidence,
  type Position,
  type Projection,
  type RecordedEvent,
  type ScannableStore,
  scanLog,
  type ScanProgress,
} from '@florin/event-sourcing';
import type { MoneyText } from '@florin/kernel';
import { locationOf } from './audited-event';
import { type AuditState, newAudit } from './audit-state';
import { auditedCategories, type LedgerAudit, type LedgerFindings } from './ledger-audit';
import { brokenChain, describeMissing } from './tampering';

export interface AuditOptions {
  /** The stream of the only account to audit, with its operations; all accounts if absent. */
  readonly account?: string;
  /** The amount from which two operators must have decided; zero if one is always sufficient. */
  readonly fourEyesAmount?: MoneyText;
  /** Called for each event of the log, also if only one account is audited. */
  readonly visit?: (event: RecordedEvent) => void;
  /** Called after each page. */
  readonly report?: (progress: ScanProgress) => void | Promise<void>;
  readonly pageSize?: number;
  /** Compares all events with their signed checkpoints, also if only one account is audited. */
  readonly evidence?: LogEvidence;
  /** Of the events that an earlier audit has read. Changed page by page. */
  readonly state?: AuditState;
}

export interface LogAudit extends LedgerFindings {
  readonly ledger: LedgerAudit;
  /** The number of audited events. */
  readonly events: number;
  readonly streams: number;
  readonly head: Position;
  /** The events that do not continue the hash chain of their stream. Their findings are among the flaws. */
  readonly broken: readonly { readonly at: string; readonly position: Position }[];
  /** Position of the newest audited event, by category and by type. */
  readonly lastOf: { readonly category: ReadonlyMap<string, Position>; readonly type: ReadonlyMap<string, Position> };
}

/** Checks hash chains, accounts and operations in one scan of the log. */
export async function auditLog(
  store: ScannableStore,
  { account, fourEyesAmount, visit, report, pageSize, evidence, state = newAudit(account) }: AuditOptions = {},
): Promise<LogAudit> {
  const { scan, chains, allChains, ledger, lastOf, unreadable } = state;
  const add = (event: RecordedEvent): void => {
    visit?.(event);
    evidence?.add(event, allChains.add(event));
    const category = categoryOf(event.stream);
    const data = auditedCategories.has(category) ? parsed(event) : {};
    const isAudited = data !== undefined && ledger.add({ ...event, data });
    if (account !== undefined && !isAudited && event.stream !== account) return;
    if (data === undefined) unreadable.push({ at: locationOf(event), text: `${event.type} is not valid JSON` });
    if (evidence === undefined || chains !== allChains) chains.add(event);
    lastOf.category.set(category, event.position);
    lastOf.type.set(event.type, event.position);
    state.events += 1;
  };
  const { head, missing } = await scanLog(store, add, report, pageSize, scan);
  const broken = chains.broken.map((event) => ({ at: locationOf(event), text: `${event.type} ${brokenChain}` }));
  const { flaws, inProgress } = ledger.close(fourEyesAmount);
  return {
    ledger,
    events: state.events,
    streams: chains.streams,
    head,
    broken: chains.broken.map((event) => ({ at: locationOf(event), position: event.position })),
    lastOf,
    flaws: [...missing.map(describeMissing), ...broken, ...unreadable, ...flaws],
    inProgress,
  };
}

/** The position that a projection must have reached to reflect all of its audited events. */
export function lastPositionFor({ lastOf }: LogAudit, { categories, eventTypes }: Interests): Position {
  const positions =
    eventTypes === undefined
      ? categories.map((category) => lastOf.category.get(category))
      : eventTypes.map((type) => lastOf.type.get(type));
  return positions.reduce<Position>((last, position = beforeFirst) => (position > last ? position : last), beforeFirst);
}

type Interests = Pick<Projection<unknown>, 'categories' | 'eventTypes'>;

function parsed(event: RecordedEvent): Readonly<Record<string, unknown>> | undefined {
  try {
    return dataOf(event) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
