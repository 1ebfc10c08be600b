import { formatMoney, type Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, type Flaw, moneyIn } from './audited-event';

/** `available` is the balance without pending authorizations and reserved unloads. */
export interface CardMoney {
  balance: Money;
  available: Money;
}

export interface AuditedMoney {
  readonly money: CardMoney;
  /** Recorded minus computed money. Reported where it changes, not for every event that follows. */
  readonly drift: CardMoney;
}

export function noMoney(): CardMoney {
  return { balance: 0n, available: 0n };
}

const maxInRecord = 2n ** 63n - 1n;

/** Whether 8 bytes are sufficient. */
export function fitsIntoRecord(amount: Money): boolean {
  return amount <= maxInRecord && amount >= -maxInRecord;
}

export function add({ money }: AuditedMoney, { balance, available }: CardMoney): void {
  money.balance += balance;
  money.available += available;
}

/** Events of the first release record only the available amount, as `balance`. */
export function compareMoney(card: AuditedMoney, data: AuditedEvent['data'], flaw: Flaw): void {
  const after = fieldOf(data, 'after');
  if (after === undefined) {
    compareAmount(card, 'available', moneyIn(data, 'balance'), flaw);
  } else {
    compareAmount(card, 'balance', moneyIn(after, 'balance'), flaw);
    compareAmount(card, 'available', moneyIn(after, 'available'), flaw);
  }
}

const amountNames = { balance: 'a balance', available: 'an available amount' } as const;

function compareAmount({ money, drift }: AuditedMoney, name: keyof CardMoney, recorded: Money, flaw: Flaw): void {
  const found = recorded - money[name];
  const hasChanged = found !== drift[name];
  drift[name] = found;
  if (!hasChanged || found === 0n) return;
  const [wrong, right] = [formatMoney(recorded), formatMoney(money[name])];
  flaw(`records ${amountNames[name]} of ${wrong}, but the events add up to ${right}`);
}
