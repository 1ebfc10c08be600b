import { formatMoney, type Money, parseUsdt, wholeCents } from '@florin/kernel';
import { type AuditedEvent, fieldOf, type Finding, type Flaw, locationOf, moneyIn, textIn } from './audited-event';
import {
  type AuditedDecision,
  type DecisionEvent,
  type DecisionsAudit,
  differenceBetween,
  reviewDecision,
} from './decision-audit';
import { DepositsAudit } from './deposit-audit';

/** A deposit on an account. */
interface Credit {
  readonly revision: number;
  /** The invoice, or the deposit itself in the sandbox. */
  readonly reference: string | undefined;
  readonly amount: Money;
  readonly fee: Money;
}

interface InvoiceAudit {
  /** The stream of the account to credit. */
  readonly account: string;
  readonly amount: Money;
  readonly fee: Money;
  address: string | undefined;
  payAmount: string | undefined;
  /** The deposit that pays it. */
  depositId: string | undefined;
  isPaidInTime: boolean;
  isApproved: boolean;
  isCompleted: boolean;
  /** Revision of its newest event, in the stream of all invoices of the account. */
  revision: number;
}

/** What the credits so far have used. */
interface Used {
  readonly invoices: Set<string>;
  /** The credited deposit of each transfer. */
  readonly transfers: Map<string, string>;
}

export interface FundingReport {
  flaw(finding: Finding): void;
  inProgress(finding: Finding): void;
}

/**
 * Traces every live credit to its invoice, from there to the deposit at the pay address, and from there to the transfer in
 * the blocks that were read. Sandbox funds are not real, so only their invoices are compared.
 */
export class FundingAudit {
  readonly deposits = new DepositsAudit();
  private readonly credits = new Map<string, Credit[]>();
  private readonly invoices = new Map<string, InvoiceAudit>();

  constructor(private readonly decisions: DecisionsAudit) {}

  /** Adds a deposit on an account. */
  addCredit({ stream, revision, data }: AuditedEvent): void {
    const reference = fieldOf(data, 'reference');
    const credit: Credit = {
      revision,
      reference: typeof reference === 'string' ? reference : undefined,
      amount: moneyIn(data, 'amount'),
      fee: moneyIn(data, 'fee'),
    };
    const known = this.credits.get(stream);
    if (known === undefined) this.credits.set(stream, [credit]);
    else known.push(credit);
  }

  /** Adds an event about the invoices of one account. */
  addToInvoice(event: AuditedEvent, flaw: Flaw): void {
    const { type, data, revision } = event;
    const id = textIn(data, 'invoiceId');
    if (type === 'InvoiceOpened') return this.openInvoice(id, event, flaw);
    const invoice = this.invoices.get(id);
    if (invoice === undefined) throw new Error(`invoice ${id} was not opened`);
    invoice.revision = revision;
    switch (type) {
      case 'InvoiceIssued':
        invoice.address = textIn(data, 'address');
        invoice.payAmount = textIn(data, 'payAmount');
        return;
      case 'InvoicePaid':
        invoice.depositId = textIn(data, 'depositId');
        invoice.isPaidInTime = true;
        return;
      case 'InvoiceSentToReview':
        if (fieldOf(data, 'depositId') !== undefined) invoice.depositId = textIn(data, 'depositId');
        return;
      case 'InvoiceResolved':
        invoice.isApproved = fieldOf(data, 'outcome') === 'completed';
        textIn(data, 'outcome');
        this.decisions.add({ about: 'invoice', event, depositId: invoice.depositId });
        return;
      case 'InvoiceCompleted':
        invoice.isCompleted = true;
        return;
      case 'InvoiceCanceled':
      case 'InvoiceExpired':
      case 'InvoiceFailed':
      case 'PaymentLeftOver':
      case 'InvoiceRecalled':
        return;
      default:
        throw new Error('this release does not know the event type');
    }
  }

  /** Adds the decision of an operator about a deposit. */
  addDepositDecision(event: AuditedEvent): void {
    for (const field of ['depositId', 'outcome']) textIn(event.data, field);
    this.decisions.add({ about: 'deposit', event });
  }

  describeDepositDecision(event: AuditedEvent): AuditedDecision {
    const id = textIn(event.data, 'depositId');
    const invoiceId = fieldOf(event.data, 'invoiceId');
    const transferred = wholeCents(parseUsdt(this.deposits.find(id)?.amount ?? '0.000000'));
    const credited = this.invoices.get(String(invoiceId))?.amount ?? 0n;
    return {
      ...reviewDecision(event, `deposit ${id}`, transferred > credited ? transferred : credited),
      approvedAs: [['review', id]],
      differenceTo: (approval) => differenceBetween(event, approval, { invoiceId }),
    };
  }

  /** Call after the last event. */
  close(report: FundingReport): void {
    const used: Used = { invoices: new Set(), transfers: new Map() };
    for (const [account, credits] of this.credits) {
      for (const credit of credits) {
        const at = locationOf({ stream: account, revision: credit.revision });
        this.explain(account, credit, used, (text) => report.flaw({ at, text: `FundsDeposited ${text}` }));
      }
    }
    for (const [id, { account, revision, isCompleted, isPaidInTime, isApproved }] of this.invoices) {
      if (used.invoices.has(id)) continue;
      const at = locationOf({ stream: invoicesOf(account), revision });
      if (isCompleted) report.flaw({ at, text: `invoice ${id} is completed, but ${account} was not credited` });
      else if (isPaidInTime || isApproved)
        report.inProgress({ at, text: `invoice ${id} is paid and not credited yet` });
    }
  }

  /** The decision about the invoice, or about a deposit that was attributed to it. */
  describeInvoiceDecision({ event, depositId }: DecisionEvent): AuditedDecision {
    const id = textIn(event.data, 'invoiceId');
    const approvedAs: [string, string][] = [['review', id]];
    if (depositId !== undefined) approvedAs.push(['review', depositId]);
    const attribution = depositId === undefined ? undefined : this.deposits.find(depositId)?.attribution;
    const isSame = fieldOf(attribution?.data, 'requestId') === fieldOf(event.data, 'requestId');
    return {
      ...reviewDecision(event, `invoice ${id}`, this.invoices.get(id)?.amount ?? 0n),
      approvedAs,
      differenceTo: (approval) => {
        return differenceBetween(event, approval, approval.subjectId === id ? {} : { invoiceId: id });
      },
      completes: isSame && fieldOf(attribution?.data, 'invoiceId') === id ? attribution : undefined,
    };
  }

  private openInvoice(id: string, { stream, revision, data }: AuditedEvent, flaw: Flaw): void {
    const account = accountOf(stream);
    if (`account-${textIn(data, 'accountId')}` !== account) flaw(`names another account than its stream`);
    if (this.invoices.has(id)) flaw(`opens invoice ${id} a second time`);
    this.invoices.set(id, {
      account,
      amount: moneyIn(data, 'depositAmount'),
      fee: moneyIn(data, 'fee'),
      address: undefined,
      payAmount: undefined,
      depositId: undefined,
      isPaidInTime: false,
      isApproved: false,
      isCompleted: false,
      revision,
    });
  }

  private explain(account: string, { reference, amount, fee }: Credit, used: Used, flaw: Flaw): void {
    const id = reference ?? '';
    const invoice = this.invoices.get(id);
    const isSandbox = account.endsWith('-sandbox');
    if (invoice === undefined || invoice.account !== account) {
      if (isSandbox && invoice === undefined) return;
      return flaw(`credits ${formatMoney(amount)}, but no invoice of the account explains it (reference "${id}")`);
    }
    if (used.invoices.has(id)) flaw(`credits invoice ${id} a second time`);
    used.invoices.add(id);
    if (amount !== invoice.amount || fee !== invoice.fee) {
      const terms = `${formatMoney(invoice.amount)} less ${formatMoney(invoice.fee)}`;
      flaw(`credits ${formatMoney(amount)} less ${formatMoney(fee)}, but invoice ${id} is for ${terms}`);
    }
    if (!isSandbox) this.explainPayment(id, invoice, used, (text) => flaw(`credits invoice ${id}, but ${text}`));
  }

  private explainPayment(id: string, invoice: InvoiceAudit, { transfers }: Used, flaw: Flaw): void {
    const { depositId, isApproved, isPaidInTime, address, payAmount } = invoice;
    if (depositId === undefined) return flaw('no deposit pays it');
    const deposit = this.deposits.find(depositId);
    if (deposit === undefined) return flaw(`its deposit ${depositId} was not recorded at any address`);
    if (deposit.invoiceId !== id) {
      const other = deposit.invoiceId === undefined ? 'no invoice' : `invoice ${deposit.invoiceId}`;
      return flaw(`its deposit ${depositId} pays ${other}`);
    }
    if (!isApproved && !(isPaidInTime && deposit.isInTime)) {
      flaw(`its deposit ${depositId} did not arrive in time, and no operator approved it`);
    } else if (!isApproved && (deposit.address !== address || deposit.amount !== payAmount)) {
      const asked = `${payAmount} to ${address}`;
      flaw(`its deposit ${depositId} is ${deposit.amount} to ${deposit.address} instead of ${asked}`);
    }
    this.deposits.explain(depositId, transfers, flaw);
  }
}

const invoicesPrefix = 'invoices-';

/** The account whose invoices the stream contains. */
export function accountOf(invoicesStream: string): string {
  return `account-${invoicesStream.slice(invoicesPrefix.length)}`;
}

function invoicesOf(account: string): string {
  return `${invoicesPrefix}${account.slice('account-'.length)}`;
}
