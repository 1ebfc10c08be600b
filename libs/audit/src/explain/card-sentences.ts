import type { CardEvent, CardPayment, TransactionStatus } from '@florin/operations-domain';
import type { Sentences } from './sentence';

export const cardSentences: Sentences<CardEvent> = {
  CardIssued: ({ cardId, amount, operationId }) =>
    `Card ${cardId} was issued with ${amount} by operation ${operationId}.`,
  CardToppedUp: ({ cardId, amount, operationId }) =>
    `Card ${cardId} was topped up by ${amount} by operation ${operationId}.`,
  TopupStarted: ({ cardId, amount, operationId }) =>
    `The topup of card ${cardId} by ${amount} started (operation ${operationId}).`,
  TopupCanceled: ({ cardId, operationId }) => `The topup of card ${cardId} was canceled (operation ${operationId}).`,
  UnloadReserved: ({ cardId, amount, operationId }) =>
    `${amount} was reserved on card ${cardId} for unload ${operationId}.`,
  CardUnloaded: ({ cardId, amount, operationId }) => `${amount} was taken off card ${cardId} by unload ${operationId}.`,
  UnloadReleased: ({ cardId, amount, operationId }) =>
    `The reserved ${amount} of unload ${operationId} on card ${cardId} was released.`,
  CardFrozen: ({ cardId }) => `Card ${cardId} was frozen.`,
  CardUnfrozen: ({ cardId }) => `Card ${cardId} was unfrozen.`,
  CardClosed: ({ cardId }) => `Card ${cardId} was closed.`,
  CardActivated: ({ cardId, status }) => `Card ${cardId} was reported as active. Its status is ${status}.`,
  CardBlocked: ({ cardId }) => `Card ${cardId} was blocked.`,
  CardUnblocked: ({ cardId, status }) => `Card ${cardId} was unblocked. Its status is ${status}.`,
  CardExpired: ({ cardId }) => `Card ${cardId} expired.`,
  CardChanged: ({ cardId }) => `The settings of card ${cardId} were changed.`,
  PaymentRecorded: ({ payment, declineReason }) =>
    `${describePayment(payment)} ${describeStatus(payment.status)}${declineReason === undefined ? '' : ` (${declineReason})`}.`,
  PaymentChanged: ({ transactionId, status, clearing }) =>
    clearing === undefined
      ? `Payment ${transactionId} ${describeStatus(status)}.`
      : `${clearing.amount} of payment ${transactionId} was cleared. The payment ${describeStatus(status)}.`,
};

function describePayment({ type, amount, currency, transactionId, refundOf }: CardPayment): string {
  const origin = refundOf === undefined ? '' : `, which returns payment ${refundOf},`;
  return `Payment ${transactionId} (${type} of ${amount} ${currency})${origin}`;
}

function describeStatus(status: TransactionStatus): string {
  switch (status) {
    case 'pending':
      return 'is authorized';
    case 'completed':
      return 'is completed';
    case 'declined':
      return 'was declined';
    case 'reversed':
      return 'was reversed';
    case 'expired':
      return 'expired';
  }
}
