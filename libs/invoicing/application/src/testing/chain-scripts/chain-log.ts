import { categoryOf, type RecordedEvent } from '@florin/event-sourcing';
import type { MoneyText } from '@florin/kernel';
import type { AccountEvent } from '@florin/ledger-domain';
import type { AddressEvent, Deposit, InvoiceEvent, InvoiceStatus } from '@florin/invoicing-domain';
import type { BlocksRead } from '@florin/tron-domain';

type Reported = AccountEvent | AddressEvent | InvoiceEvent | BlocksRead;
type DataOf<Type extends Reported['type']> = Extract<Reported, { type: Type }>['data'];

export type UnmatchedDeposit = DataOf<'DepositUnmatched'>;

export interface Credit {
  readonly accountId: string;
  readonly invoiceId: string;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
}

const statusAfter: Readonly<Record<string, InvoiceStatus>> = {
  InvoiceOpened: 'creating',
  InvoiceIssued: 'pending',
  InvoiceCompleted: 'completed',
  InvoiceExpired: 'expired',
  InvoiceFailed: 'failed',
  InvoiceSentToReview: 'manual_review',
};

/** Reads the results of a scenario from the events. */
export class ChainLog {
  constructor(readonly events: readonly RecordedEvent[]) {}

  /** All credits of accounts. */
  credits(): readonly Credit[] {
    return this.recorded('FundsDeposited').map(({ event, data: { reference, amount, fee } }) => {
      return { accountId: event.stream.slice('account-'.length), invoiceId: reference, amount, fee };
    });
  }

  otherMovements(): readonly string[] {
    const movements = this.events.filter(({ stream }) => categoryOf(stream) === 'account');
    return movements.flatMap(({ type, stream }) => (type === 'FundsDeposited' ? [] : [`${type} on ${stream}`]));
  }

  statusOf(invoiceId: string): InvoiceStatus | undefined {
    const changes = this.events.filter(({ type, data }) => {
      return type in statusAfter && (JSON.parse(data) as { invoiceId: string }).invoiceId === invoiceId;
    });
    return statusAfter[changes.at(-1)?.type ?? ''];
  }

  matched(): readonly DataOf<'DepositMatched'>[] {
    return this.recorded('DepositMatched').map(({ data }) => data);
  }

  unmatched(): readonly UnmatchedDeposit[] {
    return this.recorded('DepositUnmatched').map(({ data }) => data);
  }

  /** All recorded deposits, without the second event of a returned one. */
  deposits(): readonly (Deposit & { readonly address: string })[] {
    const recorded = [...this.matched(), ...this.unmatched().filter(({ reason }) => reason !== 'invoice_closed')];
    return recorded.map(({ deposit, address }) => ({ ...deposit, address }));
  }

  blockRanges(): readonly DataOf<'BlocksRead'>[] {
    return this.recorded('BlocksRead').map(({ data }) => data);
  }

  private recorded<Type extends Reported['type']>(
    type: Type,
  ): readonly { readonly event: RecordedEvent; readonly data: DataOf<Type> }[] {
    const events = this.events.filter((event) => event.type === type);
    return events.map((event) => ({ event, data: JSON.parse(event.data) as DataOf<Type> }));
  }
}
