import { defineAggregate } from '@florin/kernel';
import { currentAnswer, firstAnswer } from './invoice-answer';
import { invoiceDecider } from './invoice.decider';
import { invoiceEventVersions } from './invoice.messages';

/** Answers `OpenInvoice` as the first time, and any other command with the current invoice. */
export const invoiceAggregate = defineAggregate({
  decider: invoiceDecider,
  versions: invoiceEventVersions,
  answer: (state, { type, data }) =>
    type === 'OpenInvoice' ? firstAnswer(state, data.invoiceId) : currentAnswer(state, data.invoiceId),
});
