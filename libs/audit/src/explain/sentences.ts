import { accountSentences } from './account-sentences';
import { cardSentences } from './card-sentences';
import { addressSentences, invoiceSentences } from './funding-sentences';
import type { LoggedEvent } from './logged-event';
import { operationSentences } from './operation-sentences';

const sentences: ReadonlyMap<string, (data: never) => string> = new Map(
  Object.entries<(data: never) => string>({
    ...accountSentences,
    ...operationSentences,
    ...cardSentences,
    ...invoiceSentences,
    ...addressSentences,
  }),
);

/** What happened, as one sentence. It contains ids, amounts and codes, and no text that a person entered. */
export function sentenceOf({ event, type }: LoggedEvent): string {
  const sentence = sentences.get(type);
  if (event === undefined || sentence === undefined) {
    return `A newer release recorded ${type}, which this release cannot explain.`;
  }
  return sentence(event.data as never);
}
