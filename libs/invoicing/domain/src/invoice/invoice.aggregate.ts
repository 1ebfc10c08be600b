import { defineAggregate } from '@florin/kernel';
import { currentAnswer, firstAnswer } from './invoice-answer';
import { invoiceDecider } from './invoice.decider';
import { invoiceEventVersions } from './invoice.messages';

/** Replies to `OpenInvoice` with the invoice as first returned, and to other commands with the current invoice. */
export const invoiceAggregate = defineAggregate({
  decider: invoiceDecider,
  versions: invoiceEventVersions,
  answer: (state, { type, data }) =>
    type === 'OpenInvoice' ? firstAnswer(state, data.invoiceId) : currentAnswer(state, data.invoiceId),
});
