import type { EventStore } from '@florin/event-sourcing';
import { parseMoney } from '@florin/kernel';
import type { AccountEvent } from '@florin/ledger-domain';
import { type AsOf, isUpTo } from './as-of';
import { Effects } from './effects';
import { type ExplainedStep, stepOf } from './explain';
import { type AccountDay, foldByDay } from './explained-days';
import { type LoggedEvent, loggedEvent } from './logged-event';

/** The days of accounts from the read model of their entries, which is faster than folding a long stream. */
export interface AccountDays {
  /** The days with entries before a time, or up to a revision; oldest first. */
  daysOf(accountId: string, bound: DayBound): Promise<readonly AccountDay[]>;
  /** The newest revision with entries; -1 without any. */
  newestRevision(accountId: string): Promise<number>;
}

export interface DayBound {
  readonly before?: Date;
  readonly revision?: number;
}

/** The read model of the entries differs from the log. */
export class DaysDiffer extends Error {
  constructor(accountId: string, revision: number) {
    super(
      `The read model of the entries of account ${accountId} differs from the log at revision ${revision}. ` +
        'Run `florin audit`, and replay `account-entries`.',
    );
    this.name = 'DaysDiffer';
  }
}

/** Explains the balance of an account: every day, or every event. */
export class BalanceReader {
  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly days: AccountDays,
  ) {}

  /**
   * The days with entries, oldest first. The newest one is compared with the log, and events that the read model does not
   * have yet are added.
   */
  async byDay(accountId: string, asOf: AsOf): Promise<readonly AccountDay[]> {
    const days = await this.days.daysOf(accountId, await this.boundOf(accountId, asOf));
    const newest = days.at(-1);
    const events = await this.read(accountId, asOf, newest?.revision ?? 0);
    if (newest === undefined) return foldByDay([], events);
    if (!isAt(newest, events[0])) throw new DaysDiffer(accountId, newest.revision);
    return foldByDay(days, events.slice(1));
  }

  /** Single events after a revision. */
  async steps(
    accountId: string,
    asOf: AsOf,
    afterRevision: number,
    limit = Infinity,
  ): Promise<readonly ExplainedStep[]> {
    const effects = new Effects();
    const events = await this.read(accountId, asOf, afterRevision + 1, limit);
    return events.map((event) => stepOf(event, effects.of(event)));
  }

  private async read(accountId: string, asOf: AsOf, fromRevision: number, limit = Infinity): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const page of this.store.readStream(`account-${accountId}`, fromRevision)) {
      for (const recorded of page) {
        const event = loggedEvent(recorded);
        if (events.length >= limit || !isUpTo(asOf, event)) return events;
        events.push(event);
      }
    }
    return events;
  }

  private async boundOf(accountId: string, { before, position }: AsOf): Promise<DayBound> {
    return position === undefined ? { before } : { revision: await this.lastRevisionUpTo(accountId, position) };
  }

  /**
   * The newest revision of the read model up to a position; -1 if there is none. Only the log has positions, so it is searched
   * there: alternately by interpolation, which takes a few steps if the account is used evenly, and by bisection.
   */
  private async lastRevisionUpTo(accountId: string, position: bigint): Promise<number> {
    const newest = await this.days.newestRevision(accountId);
    let included = { revision: -1, position: 0n };
    let excluded = { revision: newest, position: await this.positionOf(accountId, newest) };
    if (excluded.position <= position) return newest;
    for (let steps = 0; excluded.revision - included.revision > 1; steps += 1) {
      const distance = excluded.revision - included.revision;
      const share = Number(position - included.position) / Number(excluded.position - included.position);
      const offset = Math.floor(distance * (steps % 2 === 0 ? share : 0.5));
      const revision = included.revision + Math.min(Math.max(offset, 1), distance - 1);
      const found = { revision, position: await this.positionOf(accountId, revision) };
      if (found.position <= position) included = found;
      else excluded = found;
    }
    return included.revision;
  }

  /** Zero before the first event. */
  private async positionOf(accountId: string, revision: number): Promise<bigint> {
    if (revision < 0) return 0n;
    const [event] = await this.read(accountId, {}, revision, 1);
    if (event === undefined) throw new DaysDiffer(accountId, revision);
    return event.position;
  }
}

function isAt(day: AccountDay, logged: LoggedEvent | undefined): boolean {
  if (logged?.event === undefined || logged.revision !== day.revision) return false;
  const { available, held } = (logged.event as AccountEvent).data.after;
  return parseMoney(available) === day.available && parseMoney(held) === day.held;
}
