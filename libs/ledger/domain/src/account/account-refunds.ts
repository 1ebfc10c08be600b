import { assert, parseMoney } from '@florin/kernel';
import type { CreditRefund, FundsRefunded } from './account.messages';
import { type AccountState, balances, type Decision } from './account.state';

/**
 * Credits each unload once, however late a repeat arrives: one bit per unload is remembered without a horizon. The money has
 * left the card already, so no limit of the account refuses it.
 */
export function creditRefund({ data }: CreditRefund, state: AccountState): Decision {
  const { refundId, reference, cardId, unloadNumber, description } = data;
  assert(Number.isSafeInteger(unloadNumber) && unloadNumber > 0, () => `unload number ${unloadNumber}`);
  if (isCredited(state, cardId, unloadNumber)) return [];
  const amount = parseMoney(data.amount);
  assert(amount > 0n, () => `refund ${refundId} of ${data.amount}`);
  const after = balances(state.available + amount, state.held);
  const refund = { refundId, reference, cardId, unloadNumber, amount: data.amount, description };
  return [{ type: 'FundsRefunded', data: { ...refund, after } }];
}

export function rememberRefund({ refunds }: AccountState, { cardId, unloadNumber }: FundsRefunded['data']): void {
  refunds.set(cardId, (refunds.get(cardId) ?? 0n) | (1n << BigInt(unloadNumber)));
}

function isCredited({ refunds }: AccountState, cardId: string, unloadNumber: number): boolean {
  return (((refunds.get(cardId) ?? 0n) >> BigInt(unloadNumber)) & 1n) === 1n;
}
