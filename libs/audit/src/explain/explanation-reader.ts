import type { EventStore, RecordedEvent } from '@florin/event-sourcing';
import { type InvoiceIssued, type InvoiceOpened } from '@florin/invoicing-domain';
import type { AccountEvent } from '@florin/ledger-domain';
import type { OperationQueued } from '@florin/operations-domain';
import { type AsOf, isUpTo } from './as-of';
import { explain, type ExplainedKind, type Explanation } from './explain';
import { type LoggedEvent, loggedEvent } from './logged-event';

/** Finds events of long streams through the read models. The events themselves always come from the log. */
export interface ExplanationIndex {
  /** The revisions of the events of an account with this reference, and the newest revision that the read model has. */
  revisionsOf(
    accountId: string,
    reference: string,
    since: Date,
  ): Promise<{ readonly revisions: readonly number[]; readonly indexedTo: number }>;
  /** The event behind a statement entry. */
  findEntry(entryId: string): Promise<{ readonly accountId: string; readonly revision: number } | undefined>;
  accountOfInvoice(invoiceId: string): Promise<string | undefined>;
}

type Readable = Pick<EventStore, 'readStream'>;
type Origin = { readonly kind: 'operation' | 'invoice'; readonly id: string };

/** Clocks of services differ, so that the reservation of an order may be a little older than the order. */
const maxClockDifferenceMs = 24 * 60 * 60 * 1000;

/** Collects the events behind an object, and explains it. Balances are explained by `BalanceReader`. */
export class ExplanationReader {
  constructor(
    private readonly store: Readable,
    private readonly index: ExplanationIndex,
  ) {}

  /** Undefined if the log has no such object up to that time. */
  async explain(kind: Exclude<ExplainedKind, 'balance'>, id: string, asOf: AsOf): Promise<Explanation | undefined> {
    const { events, origin } = await this.collect(kind, id);
    const explanation = explain(
      kind,
      id,
      events.filter((event) => isUpTo(asOf, event)),
      origin,
    );
    return explanation.steps.length === 0 ? undefined : explanation;
  }

  private async collect(
    kind: Exclude<ExplainedKind, 'balance'>,
    id: string,
  ): Promise<{ readonly events: readonly LoggedEvent[]; readonly origin?: Origin }> {
    switch (kind) {
      case 'card':
        return { events: await this.readAll(`card-${id}`) };
      case 'operation':
        return { events: await this.behindOperation(id) };
      case 'invoice':
        return { events: await this.behindInvoice(id) };
      case 'entry':
        return await this.behindEntry(id);
    }
  }

  private async behindOperation(id: string): Promise<readonly LoggedEvent[]> {
    const own = await this.readAll(`operation-${id}`);
    const queued = own.find(({ type }) => type === 'OperationQueued')?.event as OperationQueued | undefined;
    if (queued === undefined) return own;
    const { accountId, cardId, createdAt } = queued.data.order;
    const onAccount = await this.readReferences(accountId, id, createdAt);
    const onCard = cardId === undefined ? [] : await this.readAll(`card-${cardId}`);
    return [...own, ...onAccount, ...onCard];
  }

  private async behindInvoice(id: string): Promise<readonly LoggedEvent[]> {
    const accountId = await this.index.accountOfInvoice(id);
    if (accountId === undefined) return [];
    const own = await this.readAll(`invoices-${accountId}`, ({ data }) => data.includes(id));
    const opened = own.find(({ type }) => type === 'InvoiceOpened')?.event as InvoiceOpened | undefined;
    if (opened === undefined) return own;
    const issued = own.find(({ type }) => type === 'InvoiceIssued')?.event as InvoiceIssued | undefined;
    const names = [
      id,
      ...own.flatMap(({ event }) => (event && 'depositId' in event.data ? event.data.depositId! : [])),
    ];
    const atAddress =
      issued === undefined
        ? []
        : await this.readAll(`address-${issued.data.address}`, ({ data }) => names.some((name) => data.includes(name)));
    return [...own, ...atAddress, ...(await this.readReferences(accountId, id, opened.data.createdAt))];
  }

  private async behindEntry(
    id: string,
  ): Promise<{ readonly events: readonly LoggedEvent[]; readonly origin?: Origin }> {
    const found = locationIn(id) ?? (await this.index.findEntry(id));
    if (found === undefined) return { events: [] };
    const own = await this.readOne(`account-${found.accountId}`, found.revision);
    const origin = originOf(own);
    if (own === undefined || origin === undefined) return { events: own === undefined ? [] : [own] };
    const { events } = await this.collect(origin.kind, origin.id);
    if (events.length === 0) return { events: [own] };
    // What followed is not behind the entry.
    return { events: events.filter(({ position }) => position <= own.position), origin };
  }

  /** Events of the account with this reference; those that the read model does not have yet are found in the log. */
  private async readReferences(
    accountId: string,
    reference: string,
    createdAt: string,
  ): Promise<readonly LoggedEvent[]> {
    const stream = `account-${accountId}`;
    const since = new Date(Date.parse(createdAt) - maxClockDifferenceMs);
    const { revisions, indexedTo } = await this.index.revisionsOf(accountId, reference, since);
    const indexed = await Promise.all(revisions.map((revision) => this.readOne(stream, revision)));
    const newer = await this.readAll(stream, ({ data }) => data.includes(reference), indexedTo + 1);
    return [...indexed.filter((event) => event !== undefined), ...newer];
  }

  private async readOne(stream: string, revision: number): Promise<LoggedEvent | undefined> {
    for await (const [first] of this.store.readStream(stream, revision)) return first && loggedEvent(first);
    return undefined;
  }

  private async readAll(
    stream: string,
    isWanted: (event: RecordedEvent) => boolean = () => true,
    fromRevision = 0,
  ): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const page of this.store.readStream(stream, fromRevision)) {
      for (const event of page) if (isWanted(event)) events.push(loggedEvent(event));
    }
    return events;
  }
}

/** An entry can also be named by its event: `<account>@<revision>`, as `florin audit` prints it. */
function locationIn(id: string): { readonly accountId: string; readonly revision: number } | undefined {
  const [, accountId, revision] = /^(?:account-)?(.+)@(\d{1,15})$/.exec(id) ?? [];
  return accountId === undefined ? undefined : { accountId, revision: Number(revision) };
}

/** The operation or the invoice that an account event belongs to. Sandbox funding and adjustments have neither. */
function originOf(logged: LoggedEvent | undefined): Origin | undefined {
  const event = logged?.event as AccountEvent | undefined;
  switch (event?.type) {
    case undefined:
    case 'AccountAdjusted':
      return undefined;
    case 'FundsDeposited':
      return { kind: 'invoice', id: event.data.reference };
    case 'FundsReserved':
    case 'ReservationCaptured':
    case 'ReservationReleased':
    case 'FundsRefunded':
      return { kind: 'operation', id: event.data.reference };
  }
}
