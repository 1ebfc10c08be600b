import {
  beforeFirst,
  categoryOf,
  HashChains,
  type MissingEvents,
  type Position,
  type Projection,
  type RecordedEvent,
  type ScannableStore,
  scanLog,
  type ScanProgress,
} from '@florin/event-sourcing';
import { placeOf, type Remark } from './audited-event';
import { auditedCategories, BooksAudit, type BooksVerdict } from './books-audit';

export interface AuditOptions {
  /** The stream of the one account to look at, and with it its operations; all of them when absent. */
  readonly account?: string;
  readonly report?: (progress: ScanProgress) => void;
  readonly pageSize?: number;
}

export interface LogAudit extends BooksVerdict {
  readonly books: BooksAudit;
  /** How many events and streams were looked at. */
  readonly events: number;
  readonly streams: number;
  readonly head: Position;
  /** Where the newest event stands that was looked at, by categories and by types. */
  readonly lastOf: { readonly category: ReadonlyMap<string, Position>; readonly type: ReadonlyMap<string, Position> };
}

/** One pass over the log for its hash chains and its books. */
export async function auditLog(
  store: ScannableStore,
  { account, report, pageSize }: AuditOptions = {},
): Promise<LogAudit> {
  const chains = new HashChains();
  const books = new BooksAudit(account);
  const lastOf = { category: new Map<string, Position>(), type: new Map<string, Position>() };
  const unreadable: Remark[] = [];
  let events = 0;
  const visit = (event: RecordedEvent): void => {
    const category = categoryOf(event.stream);
    const data = auditedCategories.has(category) ? parsed(event.data) : {};
    const isBooked = data !== undefined && books.add({ ...event, data });
    if (account !== undefined && !isBooked && event.stream !== account) return;
    if (data === undefined) unreadable.push({ at: placeOf(event), text: `${event.type} is not JSON any more` });
    chains.add(event);
    lastOf.category.set(category, event.position);
    lastOf.type.set(event.type, event.position);
    events += 1;
  };
  const { head, missing } = await scanLog(store, visit, report, pageSize);
  const broken = chains.broken.map((event) => ({ at: placeOf(event), text: `${event.type} ${notAsWritten}` }));
  const { flaws, underWay } = books.close();
  return {
    books,
    events,
    streams: chains.streams,
    head,
    lastOf,
    flaws: [...missing.map(asFlaw), ...broken, ...unreadable, ...flaws],
    underWay,
  };
}

function asFlaw({ from, to }: MissingEvents): Remark {
  return {
    at: from === to ? `position ${from}` : `positions ${from} to ${to}`,
    text: 'is empty: somebody has removed what stood there',
  };
}

/** How far a projection has to have read to show all of its events that were looked at. */
export function lastPositionFor({ lastOf }: LogAudit, { categories, eventTypes }: Interests): Position {
  const positions =
    eventTypes === undefined
      ? categories.map((category) => lastOf.category.get(category))
      : eventTypes.map((type) => lastOf.type.get(type));
  return positions.reduce<Position>((last, position = beforeFirst) => (position > last ? position : last), beforeFirst);
}

type Interests = Pick<Projection<unknown>, 'categories' | 'eventTypes'>;

const notAsWritten = 'does not stand as it was written: the hash chain of the stream is broken here';

function parsed(data: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(data) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
