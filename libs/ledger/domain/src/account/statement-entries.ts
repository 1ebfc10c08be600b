import { assertNever, type Money, parseMoney } from '@florin/kernel';
import type { AccountEvent } from './account.messages';

export type EntryKind = 'deposit' | 'fee' | 'reservation' | 'capture' | 'release' | 'refund' | 'adjustment';

/** One line of the account's statement. `balance = available + held`, `amount = availableDelta + heldDelta`. */
export interface StatementEntry {
  readonly kind: EntryKind;
  readonly reference: string;
  readonly description: string;
  readonly availableDelta: Money;
  readonly heldDelta: Money;
  readonly available: Money;
  readonly held: Money;
}

/** The lines that an event adds, in order. A deposit or a capture with a fee adds two: the amount and the fee. */
export function entriesOf(event: AccountEvent): readonly StatementEntry[] {
  const { reference, description, after } = event.data;
  const amount = parseMoney(event.data.amount);
  const available = parseMoney(after.available);
  const held = parseMoney(after.held);
  const line = (kind: EntryKind, availableDelta: Money, heldDelta: Money): StatementEntry => {
    return { kind, reference, description, availableDelta, heldDelta, available, held };
  };
  switch (event.type) {
    case 'FundsDeposited': {
      const fee = parseMoney(event.data.fee);
      const gross = line('deposit', amount, 0n);
      if (fee === 0n) return [gross];
      return [{ ...gross, available: available + fee }, line('fee', -fee, 0n)];
    }
    case 'FundsReserved':
      return [line('reservation', -amount, amount)];
    case 'ReservationCaptured': {
      const fee = parseMoney(event.data.fee ?? '0.00');
      if (fee === 0n) return [line('capture', 0n, -amount)];
      return [{ ...line('capture', 0n, fee - amount), held: held + fee }, line('fee', 0n, -fee)];
    }
    case 'ReservationReleased':
      return [line('release', amount, -amount)];
    case 'AccountAdjusted':
      return [line('adjustment', event.data.direction === 'credit' ? amount : -amount, 0n)];
    case 'FundsRefunded':
      return [line('refund', amount, 0n)];
    default:
      return assertNever(event);
  }
}
