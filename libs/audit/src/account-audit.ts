import { formatMoney, type Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, moneyIn, textIn } from './audited-event';

export interface Balance {
  readonly available: Money;
  readonly held: Money;
}

export interface AccountSums extends Balance {
  readonly deposited: Money;
  /** Of deposits and captured reservations. */
  readonly fees: Money;
  /** Without the fees. */
  readonly captured: Money;
  /** Credits less debits of operators. */
  readonly adjusted: Money;
  /** Returned from cards. */
  readonly refunded: Money;
}

/** How an account event changes a reservation. */
export interface ReservationChange {
  readonly id: string;
  readonly amount: Money;
  /** Undefined in events of early releases. */
  readonly fee: Money | undefined;
  readonly change: 'reserved' | 'captured' | 'released';
  /** The event contains the order of the operation, which is accepted and listed from then on. */
  readonly hasOrder: boolean;
}

/**
 * Adds up one account from its first event, in integers, and compares each step with the recorded balance.
 * Keeps the open reservations and the IDs of the deposits and refunds in memory, but no history.
 */
export class AccountAudit {
  private deposited = 0n;
  private fees = 0n;
  private captured = 0n;
  private adjusted = 0n;
  private refunded = 0n;
  private available = 0n;
  private held = 0n;
  private readonly open = new Map<string, Pick<ReservationChange, 'amount' | 'fee'>>();
  private readonly deposits = new Set<string>();
  private readonly refunds = new Set<string>();
  private recorded: Balance = { available: 0n, held: 0n };
  /** Recorded minus computed balance. Reported where it changes, not for every event that follows. */
  private drift: Balance = { available: 0n, held: 0n };
  revision = -1;

  constructor(readonly stream: string) {}

  get sums(): AccountSums {
    const { deposited, fees, captured, adjusted, refunded, available, held } = this;
    return { deposited, fees, captured, adjusted, refunded, available, held };
  }

  /** The balance in the newest event. */
  get lastRecorded(): Balance {
    return this.recorded;
  }

  /** Adds one event and reports its flaws. Throws if the event cannot be read. */
  add(event: AuditedEvent, flaw: (text: string) => void): ReservationChange | undefined {
    this.revision = event.revision;
    const change = this.apply(event, flaw);
    if (this.available < 0n || this.held < 0n) flaw(`leaves a negative balance: ${describeBalance(this.sums)}`);
    this.compare(event, flaw);
    return change;
  }

  /** Reports the totals that do not add up after the last event. */
  close(flaw: (text: string) => void): void {
    const { deposited, fees, captured, adjusted, refunded, recorded } = this;
    const left = deposited - fees - captured + adjusted + refunded;
    if (left !== recorded.available + recorded.held) {
      const spent = `fees of ${formatMoney(fees)} and captures of ${formatMoney(captured)}`;
      const credited = `adjustments of ${formatMoney(adjusted)} and refunds of ${formatMoney(refunded)}`;
      flaw(
        `deposits of ${formatMoney(deposited)}, ${credited} less ${spent} leave ${formatMoney(left)}, but the last event records ${describeBalance(recorded)}`,
      );
    }
    let open = 0n;
    for (const { amount } of this.open.values()) open += amount;
    if (open !== recorded.held) {
      flaw(
        `open reservations add up to ${formatMoney(open)}, but the last event records ${formatMoney(recorded.held)} held`,
      );
    }
  }

  private apply(event: AuditedEvent, flaw: (text: string) => void): ReservationChange | undefined {
    switch (event.type) {
      case 'FundsDeposited':
        return this.deposit(event, flaw);
      case 'AccountAdjusted':
        return this.adjust(event);
      case 'FundsRefunded':
        return this.refund(event, flaw);
      default:
        return this.changeReservation(event, flaw);
    }
  }

  private adjust({ data }: AuditedEvent): undefined {
    const direction = textIn(data, 'direction');
    if (direction !== 'credit' && direction !== 'debit') throw new Error(`"direction" is ${direction}`);
    const amount = moneyIn(data, 'amount');
    const change = direction === 'credit' ? amount : -amount;
    this.adjusted += change;
    this.available += change;
  }

  private refund({ data }: AuditedEvent, flaw: (text: string) => void): undefined {
    const id = textIn(data, 'refundId');
    const amount = moneyIn(data, 'amount');
    this.refunded += amount;
    this.available += amount;
    if (this.refunds.has(id)) flaw(`credits refund ${id} a second time`);
    this.refunds.add(id);
  }

  private deposit({ data }: AuditedEvent, flaw: (text: string) => void): undefined {
    const id = textIn(data, 'depositId');
    const amount = moneyIn(data, 'amount');
    const fee = moneyIn(data, 'fee');
    this.deposited += amount;
    this.fees += fee;
    this.available += amount - fee;
    if (this.deposits.has(id)) flaw(`credits deposit ${id} a second time`);
    this.deposits.add(id);
  }

  private changeReservation({ type, data }: AuditedEvent, flaw: (text: string) => void): ReservationChange {
    const change = changesByType.get(type);
    if (change === undefined) throw new Error('this release does not know the event type');
    const id = textIn(data, 'reservationId');
    const amount = moneyIn(data, 'amount');
    const fee = fieldOf(data, 'fee') === undefined ? undefined : moneyIn(data, 'fee');
    const reserved = this.open.get(id);
    if (change === 'reserved') {
      this.available -= amount;
      this.held += amount;
      this.open.set(id, { amount, fee });
      if (reserved !== undefined) flaw(`reserves funds for ${id} a second time while the first reservation is open`);
    } else {
      this.held -= amount;
      if (change === 'captured') this.capture(amount, fee);
      else this.available += amount;
      this.open.delete(id);
      if (reserved !== undefined && reserved.amount !== amount) {
        flaw(`is for ${formatMoney(amount)}, but ${formatMoney(reserved.amount)} was reserved for ${id}`);
      }
      if (change === 'captured' && reserved !== undefined && reserved.fee !== fee) {
        flaw(`has ${describeFee(fee)}, but ${id} was reserved with ${describeFee(reserved.fee)}`);
      }
    }
    return { id, amount, fee, change, hasOrder: fieldOf(orderIn(data), 'operationId') === id };
  }

  private capture(amount: Money, fee = 0n): void {
    this.captured += amount - fee;
    this.fees += fee;
  }

  private compare({ data }: AuditedEvent, flaw: (text: string) => void): void {
    const after = fieldOf(data, 'after');
    this.recorded = { available: moneyIn(after, 'available'), held: moneyIn(after, 'held') };
    const drift = { available: this.recorded.available - this.available, held: this.recorded.held - this.held };
    const hasChanged = drift.available !== this.drift.available || drift.held !== this.drift.held;
    this.drift = drift;
    if (!hasChanged || (drift.available === 0n && drift.held === 0n)) return;
    flaw(`records ${describeBalance(this.recorded)}, but the events add up to ${describeBalance(this.sums)}`);
  }
}

const changesByType: ReadonlyMap<string, ReservationChange['change']> = new Map([
  ['FundsReserved', 'reserved'],
  ['ReservationCaptured', 'captured'],
  ['ReservationReleased', 'released'],
]);

/** Older versions of FundsReserved call the order `purpose`. */
function orderIn(data: AuditedEvent['data']): unknown {
  return fieldOf(data, 'order') ?? fieldOf(data, 'purpose');
}

function describeFee(fee: Money | undefined): string {
  return fee === undefined ? 'no fee' : `a fee of ${formatMoney(fee)}`;
}

export function describeBalance({ available, held }: Balance): string {
  return `${formatMoney(available)} available and ${formatMoney(held)} held`;
}
