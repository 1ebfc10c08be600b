import { isRefusal, type Refusal, refuse } from '@florin/kernel';
import type { EndedInvoice, InvoiceCommand, InvoiceEvent, InvoiceRefusal, RecallInvoice } from './invoice.messages';
import { type InvoicesState, recalledInvoice } from './invoice.state';

export type Decision = readonly InvoiceEvent[] | Refusal<InvoiceRefusal>;

/**
 * Decides a command about a forgotten invoice. Stores the invoice only together with a change, so that repeats store nothing.
 * Refuses a copy from before another replica recalled, changed and forgot it.
 */
export function decideRecalled(
  { data: { accountId, invoiceId, invoice, command } }: RecallInvoice,
  state: InvoicesState,
  decide: (command: InvoiceCommand, state: InvoicesState) => Decision,
): Decision {
  const events = state.forgotten.get(invoiceId);
  if (events === undefined) return decide(command, state);
  if (events !== invoice.events) return invoiceForgotten(invoiceId);
  const decision = decide(command, withRecalled(state, invoice));
  if (isRefusal(decision) || decision.length === 0) return decision;
  return [{ type: 'InvoiceRecalled', data: { accountId, invoiceId, invoice } }, ...decision];
}

/** The state for decisions and replies about this invoice only. */
export function withRecalled({ unresolved }: InvoicesState, invoice: EndedInvoice): InvoicesState {
  const invoices = new Map([[invoice.terms.invoiceId, recalledInvoice(invoice)]]);
  return { invoices, unresolved, forgotten: new Map() };
}

export function invoiceForgotten(invoiceId: string): Refusal<InvoiceRefusal> {
  return refuse('invoice_forgotten', `Invoice ${invoiceId} has ended long ago: recall it and repeat the command`);
}
