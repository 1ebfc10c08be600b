import { assert, formatMoney, isDecided, parseMoney, refuse } from '@florin/kernel';
import type { AdjustAccount } from './account.messages';
import { type AccountState, balances, type Decision, limitExceeded, maximumBalance } from './account.state';

/** Each adjustment is executed once. A debit is limited to the available funds: reserved ones belong to operations. */
export function adjust({ data }: AdjustAccount, state: AccountState): Decision {
  const { accountId: _, ...adjustment } = data;
  const known = state.adjustments.get(data.adjustmentId);
  if (known === data.fingerprint) return [];
  if (known !== undefined) {
    const message = `Adjustment ${data.adjustmentId} was executed with other terms: use a new Idempotency-Key`;
    return refuse('idempotency_conflict', message);
  }
  const amount = parseMoney(data.amount);
  assert(amount > 0n, () => `adjustment ${data.adjustmentId} of ${data.amount}`);
  if (!isDecided(amount, data)) {
    return refuse(
      'not_four_eyes',
      `An adjustment of ${data.amount} takes a proposal and a confirmation by another operator`,
    );
  }
  if (data.direction === 'debit' && amount > state.available) {
    const available = formatMoney(state.available);
    const message = `${data.amount} is to be debited and ${available} is available: debit a smaller amount`;
    return refuse('insufficient_funds', message);
  }
  const available = data.direction === 'debit' ? state.available - amount : state.available + amount;
  if (available + state.held > maximumBalance) return limitExceeded('credit');
  const after = balances(available, state.held);
  return [{ type: 'AccountAdjusted', data: { ...adjustment, reference: data.adjustmentId, after } }];
}
