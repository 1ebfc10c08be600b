import { formatMoney, type Money, type MoneyText, parseMoney } from '@florin/kernel';
import { type AccountEvent, entriesOf } from '@florin/ledger-domain';
import type { CardEvent } from '@florin/operations-domain';
import type { LoggedEvent } from './logged-event';

/** What an event did to one amount of an account or of a card. */
export interface Effect {
  readonly of: 'account' | 'card';
  readonly id: string;
  /** An account has `available` and `held`, a card `balance` and `available`. */
  readonly field: 'available' | 'held' | 'balance';
  readonly delta: MoneyText;
  /** The amount after the event. */
  readonly after: MoneyText;
}

const accountPrefix = 'account-';
const cardPrefix = 'card-';

/** Derives effects from the events of accounts and cards, in order. Cards need all of their events. */
export class Effects {
  private readonly cards = new Map<string, { balance?: Money; available?: Money }>();

  of({ stream, event }: LoggedEvent): readonly Effect[] {
    if (event === undefined) return [];
    if (stream.startsWith(accountPrefix)) return onAccount(stream.slice(accountPrefix.length), event as AccountEvent);
    if (stream.startsWith(cardPrefix)) return this.onCard(stream.slice(cardPrefix.length), event as CardEvent);
    return [];
  }

  private onCard(id: string, event: CardEvent): readonly Effect[] {
    const after = moneyAfter(event);
    const before = this.cards.get(id) ?? { balance: 0n, available: 0n };
    this.cards.set(id, { ...before, ...after });
    const changed = (field: 'balance' | 'available'): readonly Effect[] => {
      const [from, to] = [before[field], after[field]];
      return from === undefined || to === undefined ? [] : effectOf({ of: 'card', id, field }, to - from, to);
    };
    return [...changed('balance'), ...changed('available')];
  }
}

function onAccount(id: string, event: AccountEvent): readonly Effect[] {
  let [available, held] = [0n, 0n];
  for (const entry of entriesOf(event)) {
    available += entry.availableDelta;
    held += entry.heldDelta;
  }
  const { after } = event.data;
  return [
    ...effectOf({ of: 'account', id, field: 'available' }, available, parseMoney(after.available)),
    ...effectOf({ of: 'account', id, field: 'held' }, held, parseMoney(after.held)),
  ];
}

function effectOf(amount: Pick<Effect, 'of' | 'id' | 'field'>, delta: Money, after: Money): readonly Effect[] {
  return delta === 0n ? [] : [{ ...amount, delta: formatMoney(delta), after: formatMoney(after) }];
}

/** Some events record no amounts, and those of the first release no balance. */
function moneyAfter(event: CardEvent): { readonly balance?: Money; readonly available?: Money } {
  if (event.type === 'CardIssued') {
    const amount = parseMoney(event.data.amount);
    return { balance: amount, available: amount };
  }
  const after = 'after' in event.data ? event.data.after : undefined;
  if (after === undefined) return {};
  const available = parseMoney(after.available);
  return after.balance === undefined ? { available } : { available, balance: parseMoney(after.balance) };
}
