import { formatMoney, type Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, moneyIn, textIn } from './audited-event';

export interface Balance {
  readonly available: Money;
  readonly held: Money;
}

export interface AccountSums extends Balance {
  readonly deposited: Money;
  readonly fees: Money;
  readonly captured: Money;
  /** Credits less debits of operators. */
  readonly adjusted: Money;
}

/** How an account event changes a reservation. */
export interface ReservationChange {
  readonly id: string;
  readonly amount: Money;
  readonly change: 'reserved' | 'captured' | 'released';
  /** The event contains the order of the operation, which is accepted and listed from then on. */
  readonly hasOrder: boolean;
}

/**
 * Adds up one account from its first event, in integers, and compares each step with the recorded balance.
 * Keeps the open reservations and the IDs of the deposits in memory, but no history.
 */
export class AccountAudit {
  private deposited = 0n;
  private fees = 0n;
  private captured = 0n;
  private adjusted = 0n;
  private available = 0n;
  private held = 0n;
  private readonly open = new Map<string, Money>();
  private readonly deposits = new Set<string>();
  private recorded: Balance = { available: 0n, held: 0n };
  /** Recorded minus computed balance. Reported where it changes, not for every event that follows. */
  private drift: Balance = { available: 0n, held: 0n };
  revision = -1;

  constructor(readonly stream: string) {}

  get sums(): AccountSums {
    const { deposited, fees, captured, adjusted, available, held } = this;
    return { deposited, fees, captured, adjusted, available, held };
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
    const { deposited, fees, captured, adjusted, recorded } = this;
    const left = deposited - fees - captured + adjusted;
    if (left !== recorded.available + recorded.held) {
      const spent = `fees of ${formatMoney(fees)} and captures of ${formatMoney(captured)}`;
      const sums = `deposits of ${formatMoney(deposited)} and adjustments of ${formatMoney(adjusted)} less ${spent}`;
      flaw(`${sums} leave ${formatMoney(left)}, but the last event records ${describeBalance(recorded)}`);
    }
    let open = 0n;
    for (const amount of this.open.values()) open += amount;
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
    const reserved = this.open.get(id);
    if (change === 'reserved') {
      this.available -= amount;
      this.held += amount;
      this.open.set(id, amount);
      if (reserved !== undefined) flaw(`reserves funds for ${id} a second time while the first reservation is open`);
    } else {
      this.held -= amount;
      if (change === 'captured') this.captured += amount;
      else this.available += amount;
      this.open.delete(id);
      if (reserved !== undefined && reserved !== amount) {
        flaw(`is for ${formatMoney(amount)}, but ${formatMoney(reserved)} was reserved for ${id}`);
      }
    }
    return { id, amount, change, hasOrder: fieldOf(orderIn(data), 'operationId') === id };
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

export function describeBalance({ available, held }: Balance): string {
  return `${formatMoney(available)} available and ${formatMoney(held)} held`;
}
