import { serialize } from 'node:v8';
import { deterministicId } from '@florin/kernel';
import { decidedByOne } from '@florin/kernel/testing';
import { firstAnswer } from './invoice-answer';
import { invoiceAggregate } from './invoice.decider';
import type { InvoiceCommand, InvoiceEvent, RecallInvoice } from './invoice.messages';
import {
  endedInvoice,
  evolveInvoices,
  evolveRemembering,
  initialInvoices,
  type InvoicesState,
  maxEndedInvoices,
} from './invoice.state';
import { accountId, address, completed, eventsLeadingTo, payAmount, stateAfter, terms } from './testing/sample-invoice';

const ids = { accountId, invoiceId: 'i1' };
const ended = ['completed', 'expired', 'failed'] as const;
type Ended = (typeof ended)[number];

const rememberingNone = evolveRemembering(0);
const forgotten = (phase: Ended): InvoicesState => eventsLeadingTo[phase].reduce(rememberingNone, initialInvoices());
const invoiceIn = (phase: Ended) => stateAfter(...eventsLeadingTo[phase]).invoices.get('i1')!;
const recall = (phase: Ended, command: InvoiceCommand): RecallInvoice => ({
  type: 'RecallInvoice',
  data: { ...ids, invoice: endedInvoice(invoiceIn(phase))!, command },
});
const open: InvoiceCommand = { type: 'OpenInvoice', data: terms };
const payment: InvoiceCommand = { type: 'RecordPayment', data: { ...ids, address, depositId: 'd9', late: true } };

describe('Invoices that have ended', () => {
  it('are forgotten except for the newest 1,000 and 50 bytes of each other one', () => {
    const state = initialInvoices();
    for (let number = 0; number < 20_000; number++) {
      const invoiceId = deterministicId('invoice', String(number));
      for (const event of eventsLeadingTo.completed) {
        evolveInvoices(state, { ...event, data: { ...event.data, invoiceId } } as InvoiceEvent);
      }
    }
    expect([state.invoices.size, state.unresolved.size]).toEqual([maxEndedInvoices, 0]);
    expect(state.forgotten.size).toBe(20_000 - maxEndedInvoices);
    expect(serialize(state).length).toBeLessThan(1_500 * maxEndedInvoices + 50 * state.forgotten.size);
  });

  it('never keep their metadata, which is as large as ten invoices', () => {
    const metadata = { order: 'x'.repeat(500) };
    const [opened, issued, ...rest] = eventsLeadingTo.completed.map(
      (event) => ({ ...event, data: { ...event.data, metadata } }) as InvoiceEvent,
    );
    const state = evolveInvoices(initialInvoices(), opened!);
    expect(state.invoices.get('i1')!.terms.metadata).toEqual(metadata);
    for (const event of [issued!, ...rest]) evolveInvoices(state, event);
    expect(JSON.stringify(endedInvoice(state.invoices.get('i1')!))).not.toContain('metadata');
  });

  it('are not forgotten while they are unresolved', () => {
    const state = eventsLeadingTo.pending.reduce(rememberingNone, initialInvoices());
    expect([...state.invoices.keys()]).toEqual(['i1']);
    expect(state.forgotten.size).toBe(0);
  });

  it.each(ended)('refuse every command once they are forgotten as %s', (phase) => {
    const requestId = 'q1';
    const deposit = { ...ids, address, depositId: 'd1' };
    const commands: readonly InvoiceCommand[] = [
      { type: 'OpenInvoice', data: terms },
      { type: 'OpenInvoice', data: { ...terms, fingerprint: 'different' } },
      { type: 'IssueInvoice', data: { ...ids, address, payAmount } },
      { type: 'RecordPayment', data: { ...deposit, late: true } },
      { type: 'AttributeDeposit', data: { ...deposit, note: 'Checked', requestId, ...decidedByOne } },
      { type: 'ResolveInvoice', data: { ...ids, outcome: 'completed', note: 'Checked', requestId, ...decidedByOne } },
    ];
    for (const command of commands) {
      expect(invoiceAggregate.decide(command, forgotten(phase))).toMatchObject({ refused: 'invoice_forgotten' });
    }
  });

  it.each(ended)('are stored again with the first change after they were forgotten as %s', (phase) => {
    const remembered = stateAfter(...eventsLeadingTo[phase]);
    const change = invoiceAggregate.decide(payment, remembered) as readonly InvoiceEvent[];
    expect(change).not.toEqual([]);
    const command = recall(phase, payment);
    const decision = invoiceAggregate.decide(command, forgotten(phase));
    const { invoice } = command.data;
    expect(decision).toEqual([{ type: 'InvoiceRecalled', data: { ...ids, invoice } }, ...change]);
    const stored = JSON.parse(JSON.stringify(decision)) as InvoiceEvent[];
    const state = stored.reduce((before, event) => evolveInvoices(before, event), forgotten(phase));
    expect(state.invoices.get('i1')).toEqual(change.reduce(evolveInvoices, remembered).invoices.get('i1'));
    expect(state.forgotten.size).toBe(0);
  });

  it.each(ended)('store nothing for a repeat after they were forgotten as %s', (phase) => {
    const state = forgotten(phase);
    expect(invoiceAggregate.decide(recall(phase, open), state)).toEqual([]);
    const reply = invoiceAggregate.answer(state, recall(phase, open), true);
    expect(reply).toEqual(firstAnswer(stateAfter(...eventsLeadingTo[phase]), 'i1'));
  });

  it('are not decided from an outdated copy', () => {
    const outdated = invoiceAggregate.decide(recall('expired', payment), forgotten('completed'));
    expect(outdated).toMatchObject({ refused: 'invoice_forgotten' });
  });

  it('are decided from the state if it remembers them', () => {
    const state = stateAfter(...eventsLeadingTo.expired);
    expect(invoiceAggregate.decide(recall('expired', payment), state)).toEqual(invoiceAggregate.decide(payment, state));
  });

  it('are forgotten in the order of their last change', () => {
    const rememberingOne = evolveRemembering(1);
    const second = eventsLeadingTo.expired.map(
      (event) => ({ ...event, data: { ...event.data, invoiceId: 'i2' } }) as InvoiceEvent,
    );
    const history = [...eventsLeadingTo.review, ...second, completed];
    expect([...history.reduce(rememberingOne, initialInvoices()).invoices.keys()]).toEqual(['i1']);
  });
});
