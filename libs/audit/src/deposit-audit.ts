import { type AuditedEvent, fieldOf, type Flaw, textIn } from './audited-event';

/** A deposit at a pay address. */
export interface DepositAudit {
  readonly transferId: string;
  readonly address: string;
  readonly amount: string;
  /** The invoice that it pays, by its amount or by the decision of an operator; undefined if there is none. */
  invoiceId: string | undefined;
  /** It has the amount of the invoice and arrived in time, so it needs no decision. */
  isInTime: boolean;
  /** The newest decision of an operator. */
  attribution: AuditedEvent | undefined;
}

interface TransferAudit {
  readonly address: string;
  readonly amount: string;
}

/** The deposits at pay addresses, and the transfers in the blocks that were read. */
export class DepositsAudit {
  private readonly deposits = new Map<string, DepositAudit>();
  private readonly transfers = new Map<string, TransferAudit>();

  /** Adds an event of a pay address. */
  addToAddress(event: AuditedEvent): void {
    const { type, data } = event;
    switch (type) {
      case 'DepositMatched':
        return this.recordDeposit(data, fieldOf(data, 'late') === false, textIn(data, 'invoiceId'));
      case 'DepositUnmatched':
        return this.recordDeposit(data, false);
      case 'DepositResolved': {
        const id = textIn(data, 'depositId');
        const deposit = this.deposits.get(id);
        if (deposit === undefined) throw new Error(`deposit ${id} was not recorded`);
        const isApproved = fieldOf(data, 'outcome') === 'completed';
        deposit.invoiceId = isApproved ? textIn(data, 'invoiceId') : undefined;
        deposit.isInTime = false;
        deposit.attribution = event;
        return;
      }
      case 'PayAmountClaimed':
      case 'ClaimShortened':
      case 'ClaimLost':
      case 'AmountsFreed':
        return;
      default:
        throw new Error('this release does not know the event type');
    }
  }

  /** Adds an event of the watched chain. */
  addToChain({ type, data }: AuditedEvent, flaw: Flaw): void {
    if (type === 'ChainStarted' || type === 'AddressesWatched') return;
    if (type !== 'BlocksRead') throw new Error('this release does not know the event type');
    const transfers = fieldOf(data, 'transfers');
    if (!Array.isArray(transfers)) throw new Error('"transfers" is missing or not a list');
    for (const transfer of transfers as readonly unknown[]) {
      const id = transferIdIn(transfer);
      if (this.transfers.has(id)) flaw(`contains transfer ${id} a second time`);
      else {
        const [address, amount] = [textIn(transfer, 'to'), textIn(transfer, 'amount')];
        this.transfers.set(id, { address, amount });
      }
    }
  }

  find(depositId: string): DepositAudit | undefined {
    return this.deposits.get(depositId);
  }

  /**
   * Reports what differs between a credited deposit and its transfer. An operator decides about deposits from the chain only, so
   * an approved deposit needs its transfer as well. `credited` has the deposit of each transfer that was credited before.
   */
  explain(depositId: string, credited: Map<string, string>, flaw: Flaw): void {
    const deposit = this.deposits.get(depositId);
    if (deposit === undefined) throw new Error(`deposit ${depositId} was not recorded`);
    const { transferId, address, amount } = deposit;
    const transfer = this.transfers.get(transferId);
    if (transfer === undefined) return flaw(`no block that was read contains its transfer ${transferId}`);
    if (transfer.address !== address || transfer.amount !== amount) {
      const recorded = `${amount} to ${address}`;
      flaw(`its deposit is ${recorded}, and transfer ${transferId} is ${transfer.amount} to ${transfer.address}`);
    }
    const before = credited.get(transferId);
    if (before !== undefined && before !== depositId) {
      flaw(`its transfer ${transferId} was credited as deposit ${before} before`);
    }
    credited.set(transferId, depositId);
  }

  private recordDeposit(data: AuditedEvent['data'], isInTime: boolean, invoiceId?: string): void {
    const deposit = fieldOf(data, 'deposit');
    this.deposits.set(textIn(deposit, 'depositId'), {
      transferId: transferIdIn(deposit),
      address: textIn(data, 'address'),
      amount: textIn(deposit, 'amount'),
      invoiceId,
      isInTime,
      attribution: undefined,
    });
  }
}

function transferIdIn(data: unknown): string {
  const logIndex = fieldOf(data, 'logIndex');
  if (typeof logIndex !== 'number') throw new Error('"logIndex" is missing or not a number');
  return `${textIn(data, 'transactionId')}:${logIndex}`;
}
