import type { IssuerResponse, OperationEvent, Order } from '@florin/operations-domain';
import { type Sentences, withFee } from './sentence';

export const operationSentences: Sentences<OperationEvent> = {
  OperationQueued: ({ operationId, order }) =>
    `Operation ${operationId} was accepted: ${describeOrder(order)}${withFee('plus', order.fee)}.`,
  IssuerCallStarted: ({ deadline }) => `The call to the card issuer started. Its deadline is ${deadline}.`,
  IssuerAccepted: () => 'The card issuer accepted the operation.',
  OperationDeclined: ({ failure }) => `The operation was declined (${failure.code}).`,
  OperationSentToReview: () => 'The outcome is unknown. The operation waits for the decision of an operator.',
  LateAnswerNoted: ({ answer, matches }) =>
    `The card issuer reported by callback that ${describeResponse(answer)}${matches ? '' : ', for another company or amount'}. ` +
    'This moves no money.',
  ReviewResolved: ({ outcome, confirmedBy }) =>
    `${confirmedBy === undefined ? 'An operator' : 'Two operators'} decided that the operation ${describeOutcome(outcome)}.`,
  OperationCompleted: () => 'The operation was completed.',
  OperationFailed: ({ failure }) => `The operation failed (${failure.code}).`,
  StrayHoldFound: () => 'A reservation was found after the operation had ended, and is released.',
};

function describeOrder({ type, amount, cardId }: Order): string {
  switch (type) {
    case 'issue':
      return `issue card ${cardId} with ${amount}`;
    case 'topup':
      return `top up card ${cardId} by ${amount}`;
    case 'unload':
      return `unload ${amount} from card ${cardId}`;
    case 'service':
      return `a service for ${amount}`;
  }
}

function describeResponse({ outcome }: IssuerResponse): string {
  switch (outcome) {
    case 'accepted':
      return 'it accepted the operation';
    case 'declined':
      return 'it declined the operation';
    case 'unknown':
      return 'the outcome is unknown';
  }
}

export function describeOutcome(outcome: 'completed' | 'failed'): string {
  return outcome === 'completed' ? 'is completed' : 'has failed';
}
