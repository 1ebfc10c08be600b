import { expectPinnedState, longStream } from '@florin/event-sourcing/testing';
import { invoiceAggregate } from './invoice.decider';
import type { InvoiceCommand, InvoiceEvent } from './invoice.messages';
import { endedInvoice } from './invoice.state';
import * as sample from './testing/sample-invoice';

const second = (event: InvoiceEvent): InvoiceEvent =>
  ({ ...event, data: { ...event.data, invoiceId: 'i2' } }) as InvoiceEvent;

const third = (event: InvoiceEvent): InvoiceEvent =>
  ({ ...event, data: { ...event.data, invoiceId: 'i3' } }) as InvoiceEvent;

describe('The state of invoices in a snapshot', () => {
  const ended = endedInvoice(sample.stateAfter(...sample.eventsLeadingTo.expired).invoices.get('i1')!)!;
  const history: readonly InvoiceEvent[] = [
    ...sample.eventsLeadingTo.expired,
    { type: 'InvoiceRecalled', data: { accountId: sample.accountId, invoiceId: 'i1', invoice: ended } },
    sample.late,
    sample.leftOver('d2', sample.address, 'q2'),
    sample.resolved('completed'),
    sample.completed,
    ...sample.eventsLeadingTo.paid.map(second),
    second(sample.failed('Full')),
    ...[...sample.eventsLeadingTo.pending, sample.canceled].map(third),
  ];

  it('is pinned to its version', () => {
    expectPinnedState(invoiceAggregate, history, {
      stateVersion: 2,
      hash: '67adeca6936575153ede4e4775f3ca6e4cf238cec078923678df2cfde553846e',
    });
  });
});

it('The invoices of an account load from a snapshot', async () => {
  const { accountId, address, payAmount, terms } = sample;
  const expired = (_: unknown, number: number): readonly InvoiceCommand[] => {
    const invoiceId = `i${number}`;
    return [
      { type: 'OpenInvoice', data: { ...terms, invoiceId } },
      { type: 'IssueInvoice', data: { accountId, invoiceId, address, payAmount } },
      { type: 'ExpireInvoice', data: { accountId, invoiceId, address } },
    ];
  };
  const commands = Array.from({ length: 3_000 }, expired).flat();
  const { eventsStored, eventsRead } = await longStream(invoiceAggregate, commands);
  expect(eventsStored).toBe(9_000);
  // The state has 1,000 invoices, so the snapshots are rarer than one per 2,000 events.
  expect(eventsRead).toBeLessThan(4_000);
});
