import { formatMoney, type Refusal, refuse } from '@florin/kernel';
import type { Card } from './card-state';

/** A closed card takes part in no operation, so money on it would be stranded. */
export function refusalToClose(card: Card, unfinishedOperations = 0): Refusal<'card_not_empty'> | undefined {
  const remaining = remainingOn(card, unfinishedOperations);
  if (remaining.length === 0) return undefined;
  const message = `The card cannot be closed, because it has ${remaining.join(' and ')}`;
  return refuse('card_not_empty', `${message}: unload it first, and wait until everything on it has ended`);
}

function remainingOn(card: Card, unfinishedOperations: number): readonly string[] {
  const { balance, payments, unloads, topups } = card;
  const pending = [...payments.values()].filter(({ status }) => status === 'pending').length;
  const operations = Math.max(unloads.reserved.size + topups.started.size, unfinishedOperations);
  return [
    balance === 0n ? [] : [`a balance of ${formatMoney(balance)}`],
    pending === 0 ? [] : [`${pending} pending transactions`],
    operations === 0 ? [] : [`${operations} pending operations`],
  ].flat();
}
