import { expectPinnedState } from '@florin/event-sourcing/testing';
import { invoiceAggregate } from './invoice.decider';
import type { InvoiceEvent } from './invoice.messages';
import { endedInvoice } from './invoice.state';
import * as sample from './testing/sample-invoice';

const second = (event: InvoiceEvent): InvoiceEvent =>
  ({ ...event, data: { ...event.data, invoiceId: 'i2' } }) as InvoiceEvent;

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
  ];

  it('is pinned to its version', () => {
    expectPinnedState(invoiceAggregate, history, {
      stateVersion: 1,
      hash: '5cf647bdb678ddd1fd36f8cbdd3338d1c6adb47beb2735224b194de1f51760a0',
    });
  });
});
