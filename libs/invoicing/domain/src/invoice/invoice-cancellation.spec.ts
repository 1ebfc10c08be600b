import { specFor } from '@florin/event-sourcing/testing';
import { currentAnswer, firstAnswer } from './invoice-answer';
import { invoiceAggregate } from './invoice.decider';
import type { InvoiceCommand, InvoiceEvent } from './invoice.messages';
import { evolveRemembering, initialInvoices, type InvoicePhase } from './invoice.state';
import {
  accountId,
  address,
  canceled,
  canceledAt,
  completed,
  eventsLeadingTo,
  expired,
  issued,
  late,
  opened,
  paid,
  settlement,
  stateAfter,
  terms,
} from './testing/sample-invoice';

const { given } = specFor(invoiceAggregate, { lastingFacts: ['ExpireInvoice'] });

const ids = { accountId, invoiceId: 'i1' };
const cancel = (at = canceledAt, requestId = 'c1'): InvoiceCommand => {
  return { type: 'CancelInvoice', data: { ...ids, requestId, canceledAt: at } };
};
const pay = (blockTime: string, isLate = false): InvoiceCommand => {
  return {
    type: 'RecordPayment',
    data: { ...ids, address, depositId: 'd1', late: isLate, settlement: { ...settlement, blockTime } },
  };
};
const expire: InvoiceCommand = { type: 'ExpireInvoice', data: { ...ids, address } };
const pending = eventsLeadingTo.pending;
/** The events after a cancellation have the new expiry. */
const after = (event: InvoiceEvent): InvoiceEvent =>
  ({ ...event, data: { ...event.data, expiresAt: canceledAt } }) as InvoiceEvent;
const paidAt = (event: InvoiceEvent, blockTime: string): InvoiceEvent =>
  ({ ...event, data: { ...event.data, settlement: { ...settlement, blockTime } } }) as InvoiceEvent;

describe('CancelInvoice', () => {
  it('sets the expiry of a pending invoice to the time of the request', () => {
    given(...pending)
      .when(cancel())
      .then(canceled);
  });

  it('changes nothing when it is repeated, also by another request', () => {
    for (const request of [
      cancel(),
      cancel('2030-01-01T12:21:00.000Z', 'c2'),
      cancel('2030-01-01T12:19:00.000Z', 'c2'),
    ]) {
      given(...pending, canceled)
        .when(request)
        .then();
    }
    given(...pending, canceled, after(expired))
      .when(cancel())
      .then();
  });

  it('never extends the life of an invoice', () => {
    for (const at of [terms.expiresAt, '2030-01-01T13:00:00.001Z']) {
      given(...pending)
        .when(cancel(at))
        .then();
    }
  });

  it('fails an invoice that has no pay address yet', () => {
    const { fingerprint: _, ...facts } = terms;
    const { address: __, ...withoutAddress } = canceled.data as Extract<
      InvoiceEvent,
      { type: 'InvoiceCanceled' }
    >['data'];
    const reason = 'Canceled before it had a pay address';
    given(opened)
      .when(cancel())
      .then(
        { type: 'InvoiceCanceled', data: withoutAddress },
        { type: 'InvoiceFailed', data: { ...facts, expiresAt: canceledAt, reason } },
      );
  });

  it.each<InvoicePhase>(['paid', 'completed', 'expired', 'failed', 'review'])(
    'is refused for an invoice that is %s',
    (phase) => {
      given(...eventsLeadingTo[phase])
        .when(cancel())
        .thenRefused('wrong_status');
      // Also by another request, after the first one was accepted.
      if (phase === 'expired') {
        given(...pending, canceled, after(expired))
          .when(cancel(canceledAt, 'c2'))
          .thenRefused('wrong_status');
      }
    },
  );

  it('is refused for an invoice that the state has forgotten, without a recall', () => {
    const forgotten = eventsLeadingTo.completed.reduce(evolveRemembering(0), initialInvoices());
    expect(invoiceAggregate.decide(cancel(), forgotten)).toMatchObject({ refused: 'wrong_status' });
  });

  it('needs an invoice', () => {
    given().when(cancel()).thenRefused('not_found');
  });
});

describe('A canceled invoice', () => {
  it('expires', () => {
    given(...pending, canceled)
      .when(expire)
      .then(after(expired));
  });

  it('is credited for a payment from before, however late it is found', () => {
    const blockTime = '2030-01-01T12:19:59.999Z';
    given(...pending, canceled)
      .when(pay(blockTime))
      .then(paidAt(paid, blockTime));
    given(...pending, canceled, paidAt(paid, blockTime))
      .when({ type: 'CompleteInvoice', data: ids })
      .then(paidAt(after(completed), blockTime));
  });

  it.each([canceledAt, '2030-01-01T12:30:00.000Z'])(
    'goes to review for a payment at %s, even if the address did not know of the cancellation',
    (blockTime) => {
      for (const isLate of [true, false]) {
        given(...pending, canceled)
          .when(pay(blockTime, isLate))
          .then(paidAt(after(late), blockTime));
      }
    },
  );

  it('has its new expiry, and as the reply to a repeat of its request the first one', () => {
    const state = stateAfter(opened, issued, canceled);
    expect(currentAnswer(state, 'i1')).toMatchObject({ status: 'pending', expiresAt: canceledAt });
    expect(firstAnswer(state, 'i1')).toMatchObject({ status: 'pending', expiresAt: terms.expiresAt });
  });
});
