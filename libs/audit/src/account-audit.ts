import { formatMoney, type Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, moneyIn, textIn } from './audited-event';

export interface AccountSums {
  readonly deposited: Money;
  readonly fees: Money;
  readonly captured: Money;
  readonly available: Money;
  readonly held: Money;
}

/** What an event of an account does to a hold, for whoever follows the holds. */
export interface HoldStep {
  readonly id: string;
  readonly amount: Money;
  readonly step: 'made' | 'captured' | 'released';
  /** The order of an operation is inside: it is accepted, and shown, from here on. */
  readonly hasOrder: boolean;
}

/**
 * Adds up one account from its first event on, in integers, and compares each step with the balances that were written.
 * It keeps the holds that are open and the ids of the deposits, but none of its past.
 */
export class AccountAudit {
  private deposited = 0n;
  private fees = 0n;
  private captured = 0n;
  private available = 0n;
  private held = 0n;
  private readonly open = new Map<string, Money>();
  private readonly deposits = new Set<string>();
  private written: { readonly available: Money; readonly held: Money } = { available: 0n, held: 0n };
  /** By how much what is written differs from what was added up. It is told where it changes, and not ever after. */
  private drift: readonly [available: Money, held: Money] = [0n, 0n];
  revision = -1;

  constructor(readonly stream: string) {}

  get sums(): AccountSums {
    const { deposited, fees, captured, available, held } = this;
    return { deposited, fees, captured, available, held };
  }

  /** What the newest event says is there. */
  get lastWritten(): { readonly available: Money; readonly held: Money } {
    return this.written;
  }

  /** Books one event, tells what is wrong with it, and throws where it cannot be read. */
  add(event: AuditedEvent, flaw: (text: string) => void): HoldStep | undefined {
    this.revision = event.revision;
    const hold = event.type === 'FundsDeposited' ? this.deposit(event, flaw) : this.moveHold(event, flaw);
    if (this.available < 0n || this.held < 0n) flaw(`leaves less than nothing: ${describe(this.sums)}`);
    this.compare(event, flaw);
    return hold;
  }

  /** What does not add up in the end. */
  close(flaw: (text: string) => void): void {
    const { deposited, fees, captured, written } = this;
    const left = deposited - fees - captured;
    if (left !== written.available + written.held) {
      const sums = `${formatMoney(deposited)} deposited, ${formatMoney(fees)} of fees and ${formatMoney(captured)} captured`;
      flaw(`${sums} leave ${formatMoney(left)}, but ${describe(written)} is written`);
    }
    let open = 0n;
    for (const amount of this.open.values()) open += amount;
    if (open !== written.held) {
      flaw(`its open holds are ${formatMoney(open)} together, but ${formatMoney(written.held)} held is written`);
    }
  }

  private deposit({ data }: AuditedEvent, flaw: (text: string) => void): undefined {
    const id = textIn(data, 'depositId');
    const amount = moneyIn(data, 'amount');
    const fee = moneyIn(data, 'fee');
    this.deposited += amount;
    this.fees += fee;
    this.available += amount - fee;
    if (this.deposits.has(id)) flaw(`deposit ${id} is credited a second time`);
    this.deposits.add(id);
  }

  private moveHold({ type, data }: AuditedEvent, flaw: (text: string) => void): HoldStep {
    const step = holdSteps.get(type);
    if (step === undefined) throw new Error('this release does not know what it does to the money');
    const id = textIn(data, 'reservationId');
    const amount = moneyIn(data, 'amount');
    // Version 1 of the event has the order in `purpose`.
    const order = fieldOf(data, 'order') ?? fieldOf(data, 'purpose');
    const hasOrder = fieldOf(order, 'operationId') === id;
    const known = this.open.get(id);
    if (step === 'made') {
      this.available -= amount;
      this.held += amount;
      this.open.set(id, amount);
      if (known !== undefined) flaw(`the hold for ${id} is made a second time while it is open`);
      return { id, amount, step, hasOrder };
    }
    this.held -= amount;
    if (step === 'captured') this.captured += amount;
    else this.available += amount;
    this.open.delete(id);
    if (known !== undefined && known !== amount) flaw(`the hold for ${id} was made for ${formatMoney(known)}`);
    return { id, amount, step, hasOrder };
  }

  private compare({ data }: AuditedEvent, flaw: (text: string) => void): void {
    const after = fieldOf(data, 'after');
    this.written = { available: moneyIn(after, 'available'), held: moneyIn(after, 'held') };
    const [available, held] = [this.written.available - this.available, this.written.held - this.held];
    const hasDrifted = available !== this.drift[0] || held !== this.drift[1];
    this.drift = [available, held];
    if (!hasDrifted || (available === 0n && held === 0n)) return;
    flaw(`says ${describe(this.written)}, but it is ${describe(this.sums)}`);
  }
}

const holdSteps: ReadonlyMap<string, HoldStep['step']> = new Map([
  ['FundsReserved', 'made'],
  ['ReservationCaptured', 'captured'],
  ['ReservationReleased', 'released'],
]);

function describe({ available, held }: { readonly available: Money; readonly held: Money }): string {
  return `${formatMoney(available)} available and ${formatMoney(held)} held`;
}
