import { decidedByOne } from '@florin/kernel/testing';
import { specFor } from '@florin/event-sourcing/testing';
import { invoiceAggregate } from './invoice.decider';
import { type InvoiceCommand, type InvoiceEvent, type InvoiceRefusal, type InvoiceTerms } from './invoice.messages';
import type { InvoicePhase } from './invoice.state';
import {
  accountId,
  address,
  completed,
  expired,
  failed,
  issued,
  late,
  leftOver,
  opened,
  paid,
  eventsLeadingTo,
  payAmount,
  resolved,
  sentToReview,
  settlement,
  terms,
} from './testing/sample-invoice';

const { given } = specFor(invoiceAggregate, { lastingFacts: ['ExpireInvoice'] });

const from = (phase: InvoicePhase) => given(...eventsLeadingTo[phase]);
const ids = { accountId, invoiceId: 'i1' };
const open = (parts: Partial<InvoiceTerms> = {}): InvoiceCommand => {
  return { type: 'OpenInvoice', data: { ...terms, ...parts } };
};
const issue = (at = address): InvoiceCommand => ({ type: 'IssueInvoice', data: { ...ids, address: at, payAmount } });
const abandon: InvoiceCommand = { type: 'AbandonInvoice', data: { ...ids, reason: 'Full' } };
const pay = (depositId: string, isLate = false, at = address): InvoiceCommand => {
  return { type: 'RecordPayment', data: { ...ids, address: at, depositId, late: isLate, settlement } };
};
const attribute = (depositId: string, requestId = 'q1'): InvoiceCommand => {
  return {
    type: 'AttributeDeposit',
    data: { ...ids, address: 'TReasury2', depositId, note: 'Checked', requestId, settlement, ...decidedByOne },
  };
};
const expire = (at = address): InvoiceCommand => ({ type: 'ExpireInvoice', data: { ...ids, address: at } });
const complete: InvoiceCommand = { type: 'CompleteInvoice', data: ids };
const review = (reviews = 0): InvoiceCommand => {
  return { type: 'ReviewInvoice', data: { ...ids, reason: 'Too much', reviews } };
};
const resolve = (outcome: 'completed' | 'failed', requestId = 'q1', decision: object = {}): InvoiceCommand => {
  return {
    type: 'ResolveInvoice',
    data: { ...ids, outcome, note: 'Checked', requestId, ...decidedByOne, ...decision },
  };
};

describe('OpenInvoice', () => {
  const another = open({ invoiceId: 'i2', fingerprint: 'f2' });

  it('opens the first invoice, and another one after each resolved one', () => {
    given().when(open()).then(opened);
    for (const phase of ['completed', 'expired', 'failed'] as const) {
      from(phase)
        .when(another)
        .then({ type: 'InvoiceOpened', data: { ...terms, invoiceId: 'i2', fingerprint: 'f2' } });
    }
  });

  it.each<InvoicePhase>(['creating', 'pending', 'paid', 'review'])(
    'is refused while another invoice is %s',
    (phase) => {
      from(phase).when(another).thenRefused('unresolved_invoice_exists');
    },
  );

  it('accepts a repeat with the same id in every phase', () => {
    const later = open({ createdAt: '2030-01-02T12:00:00.000Z', expiresAt: '2030-01-02T13:00:00.000Z' });
    for (const path of Object.values(eventsLeadingTo))
      given(...path)
        .when(later)
        .then();
  });

  const second: InvoiceEvent = { type: 'InvoiceOpened', data: { ...terms, invoiceId: 'i2' } };
  it.each<[string, readonly InvoiceEvent[], Partial<InvoiceTerms>, InvoiceRefusal]>([
    ['other data under a known id', eventsLeadingTo.pending, { fingerprint: 'f2' }, 'idempotency_conflict'],
    [
      'the same though another is unresolved',
      [...eventsLeadingTo.expired, second],
      { fingerprint: 'f2' },
      'idempotency_conflict',
    ],
    [
      'a new one though another is unresolved',
      eventsLeadingTo.pending,
      { invoiceId: 'i2' },
      'unresolved_invoice_exists',
    ],
  ])('is refused in this order: %s', (_, past, parts, code) => {
    given(...past)
      .when(open(parts))
      .thenRefused(code);
  });

  it('is refused while a late payment of an older invoice is in review', () => {
    given(...eventsLeadingTo.expired, second, late, {
      type: 'InvoiceFailed',
      data: { ...terms, invoiceId: 'i2', reason: 'Full' },
    })
      .when(open({ invoiceId: 'i3', fingerprint: 'f3' }))
      .thenRefused('unresolved_invoice_exists');
  });
});

describe('the pay address', () => {
  it('is issued once', () => {
    from('creating').when(issue()).then(issued);
    for (const phase of ['pending', 'paid', 'completed', 'expired', 'failed', 'review'] as const) {
      from(phase).when(issue('TReasury2')).then();
    }
  });

  it('fails the invoice if none is found, unless one was issued before', () => {
    from('creating').when(abandon).then(failed('Full'));
    from('pending').when(abandon).then();
    from('failed').when(abandon).then();
  });
});

describe('a payment', () => {
  it('is credited in time and goes to review when late', () => {
    from('pending').when(pay('d1')).then(paid);
    from('pending').when(pay('d1', true)).then(late);
    from('expired').when(pay('d1', true)).then(late);
  });

  it.each<InvoicePhase>(['paid', 'completed', 'failed', 'review'])('is left over when the invoice is %s', (phase) => {
    from(phase).when(pay('d2')).then(leftOver('d2'));
    from(phase).when(pay('d2', true)).then(leftOver('d2'));
  });

  it('is left over at an address that was not issued', () => {
    from('pending')
      .when(pay('d1', false, 'TReasury2'))
      .then(leftOver('d1', 'TReasury2'));
    from('expired')
      .when(pay('d1', true, 'TReasury2'))
      .then(leftOver('d1', 'TReasury2'));
  });

  it('is refused before the invoice has an address', () => {
    from('creating').when(pay('d1')).thenRefused('wrong_status');
  });

  it('goes to review when the ledger refuses it', () => {
    from('paid').when(review()).then(sentToReview('Too much'));
    for (const phase of ['completed', 'failed', 'review'] as const) from(phase).when(review()).then();
    for (const phase of ['creating', 'pending', 'expired'] as const) {
      from(phase).when(review()).thenRefused('wrong_status');
    }
  });

  it('does not return to review by an outdated reply of the ledger', () => {
    const decided = [...eventsLeadingTo.paid, sentToReview('Too much'), resolved('completed')];
    given(...decided)
      .when(review())
      .then();
    given(...decided)
      .when(review(1))
      .then(sentToReview('Too much'));
  });

  it('completes the invoice after the credit, also from review', () => {
    from('paid').when(complete).then(completed);
    given(...eventsLeadingTo.paid, sentToReview('Too much'))
      .when(complete)
      .then(completed);
    for (const phase of ['creating', 'pending', 'expired', 'failed'] as const) {
      from(phase).when(complete).thenRefused('wrong_status');
    }
  });
});

describe('ExpireInvoice', () => {
  it('expires pending invoices only', () => {
    from('pending').when(expire()).then(expired);
    from('pending').when(expire('TReasury2')).then();
    for (const phase of ['creating', 'paid', 'completed', 'failed', 'review'] as const)
      from(phase).when(expire()).then();
  });
});

describe('an operator', () => {
  it('resolves a review either way', () => {
    from('review').when(resolve('completed')).then(resolved('completed'));
    from('review').when(resolve('failed')).then(resolved('failed'), failed('Checked'));
  });

  it.each<['completed' | 'failed', 'completed' | 'failed', InvoiceEvent]>([
    ['completed', 'failed', completed],
    ['failed', 'completed', failed('Checked')],
  ])('cannot reverse the decision %s', (outcome, contrary, end) => {
    for (const past of [[resolved(outcome)], [resolved(outcome), end]]) {
      given(...eventsLeadingTo.review, ...past)
        .when(resolve(outcome))
        .then();
      given(...eventsLeadingTo.review, ...past)
        .when(resolve(contrary, 'q2'))
        .thenRefused('review_resolved');
    }
    given(...eventsLeadingTo.review, resolved(outcome), end)
      .when(resolve(outcome, 'q2'))
      .then();
  });

  it('can repeat a decision until the end', () => {
    given(...eventsLeadingTo.review, resolved('completed'))
      .when(resolve('completed', 'q2'))
      .then(resolved('completed', 'q2'));
  });

  it('decides again when the ledger refuses the credit', () => {
    const again = [...eventsLeadingTo.review, resolved('completed'), sentToReview('Too much')];
    given(...again)
      .when(resolve('failed', 'q2'))
      .then(resolved('failed', 'q2'), failed('Checked'));
    given(...again)
      .when(resolve('completed', 'q2'))
      .then(resolved('completed', 'q2'));
    given(...again)
      .when(resolve('completed'))
      .then();
  });

  it('can have decided without a request id', () => {
    const old: InvoiceEvent = { type: 'InvoiceResolved', data: { ...ids, outcome: 'completed', note: 'Checked' } };
    given(...eventsLeadingTo.review, old)
      .when(resolve('completed'))
      .then(resolved('completed'));
    given(...eventsLeadingTo.review, old, completed)
      .when(resolve('completed'))
      .then();
  });

  it.each<InvoicePhase>(['creating', 'pending', 'paid', 'completed', 'expired', 'failed'])(
    'cannot resolve an invoice that is %s and was never in review',
    (phase) => {
      from(phase).when(resolve('completed')).thenRefused('wrong_status');
      from(phase).when(resolve('failed')).thenRefused('wrong_status');
    },
  );

  it('takes two operators to complete from the four-eyes amount on', () => {
    const limit = { fourEyesAmount: '100.00' };
    const confirmedBy = { kind: 'operator', id: 'bob' } as const;
    from('review')
      .when(resolve('completed', 'q1', limit))
      .thenRefused('not_four_eyes');
    from('review')
      .when(resolve('completed', 'q1', { ...limit, confirmedBy: decidedByOne.proposedBy }))
      .thenRefused('not_four_eyes');
    const decision = { ...decidedByOne, ...limit, confirmedBy, approvalId: 'a1' };
    const data = { ...ids, outcome: 'completed', note: 'Checked', requestId: 'q1', ...decision } as const;
    from('review')
      .when(resolve('completed', 'q1', decision))
      .then({ type: 'InvoiceResolved', data });
  });

  it('is not completed by a command that names no operator, as in an early release', () => {
    const none = { fourEyesAmount: undefined, proposedBy: undefined };
    from('review')
      .when(resolve('completed', 'q1', none))
      .thenRefused('not_four_eyes');
  });

  it('attributes a deposit to a pending or expired invoice', () => {
    const found = sentToReview('A deposit was attributed: Checked', 'd2');
    for (const phase of ['pending', 'expired'] as const) {
      from(phase).when(attribute('d2')).then(found, resolved('completed'));
    }
  });

  it.each<InvoicePhase>(['paid', 'completed', 'failed', 'review'])(
    'cannot attribute a deposit to an invoice that is %s',
    (phase) => {
      from(phase)
        .when(attribute('d2'))
        .then(leftOver('d2', 'TReasury2', 'q1'));
      given(...eventsLeadingTo[phase], leftOver('d2', 'TReasury2', 'q1'))
        .when(attribute('d2', 'q2'))
        .then(leftOver('d2', 'TReasury2', 'q2'));
    },
  );

  it('attributes a deposit that was left over at another address', () => {
    const found = sentToReview('A deposit was attributed: Checked', 'd2');
    given(...eventsLeadingTo.pending, leftOver('d2', 'TReasury2'))
      .when(attribute('d2'))
      .then(found, resolved('completed'));
    given(...eventsLeadingTo.review, leftOver('d2', 'TReasury2'))
      .when(attribute('d2'))
      .then(leftOver('d2', 'TReasury2', 'q1'));
  });

  it('cannot attribute a deposit to an invoice without an address', () => {
    from('creating').when(attribute('d2')).thenRefused('wrong_status');
  });
});

const withoutInvoice = [issue(), abandon, pay('d1'), attribute('d1'), expire(), complete, review(), resolve('failed')];
it.each(withoutInvoice)('$type needs an invoice', (command) => given().when(command).thenRefused('not_found'));

it('fails for events before InvoiceOpened', () => {
  expect(() => invoiceAggregate.evolve(invoiceAggregate.initialState(), paid)).toThrow(/before InvoiceOpened/);
});
