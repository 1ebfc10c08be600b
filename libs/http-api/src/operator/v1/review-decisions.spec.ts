import { parseMoney } from '@florin/kernel';
import { decidedByOne, manualClock } from '@florin/kernel/testing';
import type { DepositReviewView, InvoiceQueries, OperationReviewView } from '@florin/read-models';
import { initialTime } from '../../testing/test-app';
import { ReviewDecisions } from './review-decisions';

const invoice = { environment: 'live', accountId: 'acme-live', depositAmount: '5000.00' };
const deposit = { kind: 'deposit', id: 'd1', environment: 'live', amount: '1.000000', address: 'T1' };
const operation = { kind: 'operation', id: 'o1', amount: '990.00', fee: '10.00', total: '1000.00' };
const completed = { outcome: 'completed', note: 'It arrived' } as const;

/** Returns these invoices to one read after another. */
function decisionsWith(...reads: readonly (typeof invoice | undefined)[]): ReviewDecisions {
  const left = [...reads];
  const invoices = { findAnywhere: async () => left.shift() } as unknown as InvoiceQueries;
  return new ReviewDecisions(invoices, manualClock(initialTime));
}

describe('The decision about a deposit', () => {
  const review = deposit as DepositReviewView;
  const pays = { ...completed, invoiceId: 'i1' };

  it('has the amount of the invoice in its command', async () => {
    const { amount, command } = await decisionsWith(invoice).prepare(review, pays);
    expect(amount).toBe(parseMoney('5000.00'));
    expect(command('q1', decidedByOne)).toMatchObject({
      ...{ context: 'invoicing', id: 'q1' },
      command: { type: 'ResolveDeposit', data: { invoiceId: 'i1', accountId: 'acme-live', requestId: 'q1' } },
    });
  });

  it('is rejected if the invoice becomes visible only later, because its amount was not compared', async () => {
    const decisions = decisionsWith(undefined, invoice);
    await expect(decisions.prepare(review, pays)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('moves nothing as failed', async () => {
    const { amount, command } = await decisionsWith().prepare(review, { ...completed, outcome: 'failed' });
    expect(amount).toBe(0n);
    expect(command('q1', decidedByOne)).toMatchObject({ command: { data: { outcome: 'failed', requestId: 'q1' } } });
  });
});

describe('The decision about an operation', () => {
  it('compares the total, because that is captured', async () => {
    const { amount } = await decisionsWith().prepare(operation as OperationReviewView, completed);
    expect(amount).toBe(parseMoney('1000.00'));
  });
});
