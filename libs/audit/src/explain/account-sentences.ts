import type { AccountEvent } from '@florin/ledger-domain';
import { type Sentences, withFee } from './sentence';

export const accountSentences: Sentences<AccountEvent> = {
  FundsDeposited: ({ amount, fee, reference }) =>
    `Deposit ${reference} of ${amount} was credited${withFee('less', fee)}.`,
  FundsReserved: ({ amount, fee, reference }) =>
    `${amount} was reserved for operation ${reference}${withFee('including', fee)}.`,
  ReservationCaptured: ({ amount, fee, reference }) =>
    `The reserved ${amount} of operation ${reference} was captured${withFee('including', fee)}.`,
  ReservationReleased: ({ amount, reference }) => `The reserved ${amount} of operation ${reference} was released.`,
  AccountAdjusted: ({ amount, direction, adjustmentId, confirmedBy }) =>
    `${confirmedBy === undefined ? 'An operator' : 'Two operators'} ${direction === 'credit' ? 'credited' : 'debited'} ` +
    `${amount} (adjustment ${adjustmentId}).`,
  FundsRefunded: ({ amount, cardId, reference }) =>
    `${amount} from card ${cardId} was credited for operation ${reference}.`,
};
