import { currentAnswer, firstAnswer } from './invoice-answer';
import type { InvoiceEvent, InvoiceStatus } from './invoice.messages';
import {
  address,
  eventsLeadingTo,
  failed,
  payAmount,
  resolved,
  settlement,
  stateAfter,
  terms,
} from './testing/sample-invoice';

const answerable = {
  id: 'i1',
  environment: 'live',
  depositAmount: '100.00',
  fee: '1.50',
  creditAmount: '98.50',
  asset: 'USDT',
  network: 'TRON',
  createdAt: '2030-01-01T12:00:00.000Z',
};
const payable = { address: 'TReasury1', payAmount: '100.003127', expiresAt: '2030-01-01T13:00:00.000Z' };
const nowhere = { address: null, payAmount: null, expiresAt: null };

it.each<[InvoiceStatus, InvoiceStatus, readonly InvoiceEvent[], object]>([
  ['creating', 'creating', eventsLeadingTo.creating, nowhere],
  ['failed', 'failed', eventsLeadingTo.failed, nowhere],
  ['pending', 'pending', eventsLeadingTo.pending, payable],
  ['pending', 'pending', eventsLeadingTo.paid, payable],
  ['completed', 'pending', eventsLeadingTo.completed, payable],
  ['expired', 'pending', eventsLeadingTo.expired, payable],
  ['manual_review', 'pending', eventsLeadingTo.review, payable],
  ['manual_review', 'pending', [...eventsLeadingTo.review, resolved('completed')], payable],
  ['failed', 'pending', [...eventsLeadingTo.review, resolved('failed'), failed('Checked')], payable],
])('an invoice that is %s is returned as such, and as %s for a repeat of its request', (status, first, past, where) => {
  const state = stateAfter(...past);
  const settled = status === 'completed' ? { settlement } : {};
  expect(currentAnswer(state, 'i1')).toEqual({ ...answerable, ...where, ...settled, status });
  expect(firstAnswer(state, 'i1')).toEqual({ ...answerable, ...where, status: first });
});

it('has its page only together with a pay address, and never its metadata', () => {
  const details = { paymentUrl: 'https://florin.example/pay/t', metadata: { order: '7' } };
  const { fingerprint: _, ...facts } = terms;
  const creating: InvoiceEvent = { type: 'InvoiceOpened', data: { ...terms, ...details } };
  const pending: InvoiceEvent = { type: 'InvoiceIssued', data: { ...facts, ...details, address, payAmount } };
  expect(currentAnswer(stateAfter(creating), 'i1')).toEqual({
    ...{ ...answerable, ...nowhere, status: 'creating' },
  });
  expect(currentAnswer(stateAfter(creating, pending), 'i1')).toEqual({
    ...{ ...answerable, ...payable, status: 'pending', paymentUrl: details.paymentUrl },
  });
});

it('fails for an unknown invoice', () => {
  expect(() => currentAnswer(stateAfter(), 'i1')).toThrow(/invoice i1 exists/);
});
