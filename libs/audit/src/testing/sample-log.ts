/** The fields of a stored event that audits and checks read. */
export interface SampleEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

const metadata = JSON.stringify({ recordedAt: '2030-01-01T00:00:00.000Z' });

export function streamOf(stream: string, ...events: readonly (readonly [type: string, data: object])[]): SampleEvent[] {
  return events.map(([type, data], revision) => ({ stream, revision, type, data: JSON.stringify(data), metadata }));
}

const order = (type: string, amount: string, total: string, cardId?: string): object => ({
  ...{ companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox', type, amount, total, cardId },
});

const reservation = (
  ...[reservationId, amount, available, held, fee]: readonly [string, string, string, string, fee?: string]
): object => ({ reservationId, amount, fee, after: { available, held } });

/** One completed operation, one failed operation and one in review. */
export const sampleLog: readonly SampleEvent[] = [
  ...streamOf(
    'account-acme-sandbox',
    [
      'FundsDeposited',
      { depositId: 'd', amount: '1000.00', fee: '50.00', after: { available: '950.00', held: '0.00' } },
    ],
    ['FundsReserved', reservation('1', '103.20', '846.80', '103.20', '3.20')],
    ['ReservationCaptured', reservation('1', '103.20', '846.80', '0.00', '3.20')],
    ['FundsReserved', reservation('2', '20.00', '826.80', '20.00')],
    ['ReservationReleased', reservation('2', '20.00', '846.80', '0.00')],
    ['FundsReserved', reservation('3', '50.00', '796.80', '50.00')],
  ),
  ...streamOf(
    'operation-1',
    ['OperationQueued', { operationId: '1', order: order('issue', '100.00', '103.20', 'c1') }],
    ['IssuerAccepted', { operationId: '1' }],
    ['OperationCompleted', { operationId: '1' }],
  ),
  ...streamOf(
    'operation-2',
    ['OperationQueued', { operationId: '2', order: order('service', '20.00', '20.00') }],
    ['OperationDeclined', { operationId: '2' }],
    ['OperationFailed', { operationId: '2' }],
  ),
  ...streamOf(
    'operation-3',
    ['OperationQueued', { operationId: '3', order: order('service', '50.00', '50.00') }],
    ['OperationSentToReview', { operationId: '3' }],
  ),
  ...streamOf('card-c1', [
    'CardIssued',
    { cardId: 'c1', accountId: 'acme-sandbox', operationId: '1', amount: '100.00' },
  ]),
];

const liveAccount = { accountId: 'acme-live' };
const address = 'TPool';

const transfer = (transactionId: string, amount: string): object => ({
  ...{ transactionId, logIndex: 0, from: 'TPayer', to: address, amount, blockNumber: 7 },
  blockTime: '2030-01-01T00:10:00.000Z',
});

const deposit = (depositId: string, transactionId: string, amount: string): object => ({
  ...{ address, deposit: { depositId, transactionId, logIndex: 0, from: 'TPayer', amount, blockNumber: 7 } },
});

const invoice = (invoiceId: string): object => ({
  ...{ ...liveAccount, invoiceId, environment: 'live', depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' },
});

const credit = (invoiceId: string, available: string): object => ({
  ...{ depositId: invoiceId, reference: invoiceId, amount: '100.00', fee: '1.50', description: 'Invoice payment' },
  after: { available, held: '0.00' },
});

/** Three live deposits: paid in time, paid late and approved, and of another amount, which an operator attributed. */
export const liveDepositsLog: readonly SampleEvent[] = [
  ...streamOf('chain-start', ['ChainStarted', { startBlock: 1, contract: 'TUsdt' }]),
  ...streamOf(
    'chain-0',
    [
      'BlocksRead',
      {
        ...{ fromBlock: 1, toBlock: 9 },
        transfers: [transfer('t1', '100.000001'), transfer('t2', '100.000002'), transfer('t3', '99.000000')],
      },
    ],
    ['AddressesWatched', { fromBlock: 10, addresses: ['TPool'] }],
  ),
  ...streamOf(
    'address-TPool',
    ['PayAmountClaimed', { address, invoiceId: 'i1', payAmount: '100.000001' }],
    ['DepositMatched', { ...deposit('d1', 't1', '100.000001'), ...liveAccount, invoiceId: 'i1', late: false }],
    ['DepositMatched', { ...deposit('d2', 't2', '100.000002'), ...liveAccount, invoiceId: 'i2', late: true }],
    ['DepositUnmatched', { ...deposit('d3', 't3', '99.000000'), reason: 'amount_unknown', forReview: true }],
    ['DepositResolved', { address, depositId: 'd3', outcome: 'completed', invoiceId: 'i3', ...liveAccount }],
  ),
  ...streamOf(
    'invoices-acme-live',
    ['InvoiceOpened', invoice('i1')],
    ['InvoiceIssued', { ...invoice('i1'), address, payAmount: '100.000001' }],
    ['InvoicePaid', { ...liveAccount, invoiceId: 'i1', depositId: 'd1' }],
    ['InvoiceCompleted', { ...liveAccount, invoiceId: 'i1' }],
    ['InvoiceOpened', invoice('i2')],
    ['InvoiceIssued', { ...invoice('i2'), address, payAmount: '100.000002' }],
    ['InvoiceExpired', { ...liveAccount, invoiceId: 'i2' }],
    ['InvoiceSentToReview', { ...liveAccount, invoiceId: 'i2', depositId: 'd2' }],
    ['InvoiceResolved', { ...liveAccount, invoiceId: 'i2', outcome: 'completed' }],
    ['InvoiceCompleted', { ...liveAccount, invoiceId: 'i2' }],
    ['InvoiceOpened', invoice('i3')],
    ['InvoiceIssued', { ...invoice('i3'), address, payAmount: '100.000003' }],
    ['InvoiceSentToReview', { ...liveAccount, invoiceId: 'i3', depositId: 'd3' }],
    ['InvoiceResolved', { ...liveAccount, invoiceId: 'i3', outcome: 'completed' }],
    ['InvoiceCompleted', { ...liveAccount, invoiceId: 'i3' }],
  ),
  ...streamOf(
    'account-acme-live',
    ['FundsDeposited', credit('i1', '98.50')],
    ['FundsDeposited', credit('i2', '197.00')],
    ['FundsDeposited', credit('i3', '295.50')],
  ),
];

const topup = { ...order('topup', '10.00', '10.20', 'c1') };
const payment = (transactionId: string, type: string, amount: string, status: string): object => ({
  ...{ transactionId, type, amount, status, currency: 'USD' },
});
const claim = (transactionId: string, type: string, amount: string): SampleEvent[] =>
  streamOf(`transaction-${transactionId}`, [
    'TransactionClaimed',
    {
      ...{ transactionId, cardId: 'c1', accountId: 'acme-sandbox' },
      payment: payment(transactionId, type, amount, 'pending'),
    },
  ]);

/** The sample log with a topup of its card and payments: first as the first release recorded them, then as this one does. */
export const cardLog: readonly SampleEvent[] = [
  ...sampleLog,
  ...continued(sampleLog, 'account-acme-sandbox', [
    ['FundsReserved', reservation('4', '10.20', '786.60', '60.20')],
    ['ReservationCaptured', reservation('4', '10.20', '786.60', '50.00')],
  ]),
  ...streamOf(
    'operation-4',
    ['OperationQueued', { operationId: '4', order: topup }],
    ['IssuerAccepted', { operationId: '4' }],
    ['OperationCompleted', { operationId: '4' }],
  ),
  ...continued(sampleLog, 'card-c1', [
    ['CardToppedUp', { cardId: 'c1', operationId: '4', amount: '10.00', balance: '110.00' }],
    ['CardFrozen', { cardId: 'c1', requestId: 'r1' }],
    ['CardUnfrozen', { cardId: 'c1', requestId: 'r2' }],
    ['PaymentRecorded', { cardId: 'c1', payment: payment('p1', 'purchase', '30.00', 'pending'), balance: '80.00' }],
    ['PaymentRecorded', { cardId: 'c1', payment: payment('p2', 'refund', '5.00', 'completed'), balance: '85.00' }],
    ['PaymentChanged', { cardId: 'c1', transactionId: 'p1', status: 'reversed', balance: '115.00' }],
    [
      'PaymentRecorded',
      { cardId: 'c1', payment: payment('p3', 'withdrawal', '500.00', 'declined'), balance: '115.00' },
    ],
    [
      'PaymentRecorded',
      {
        ...{ cardId: 'c1', payment: payment('p4', 'purchase', '10.00', 'pending') },
        after: { balance: '115.00', available: '105.00' },
      },
    ],
    [
      'PaymentChanged',
      {
        ...{ cardId: 'c1', transactionId: 'p4', status: 'pending', cleared: '4.00' },
        clearing: { clearingId: 'k1', amount: '4.00' },
        after: { balance: '111.00', available: '105.00' },
      },
    ],
    [
      'PaymentChanged',
      {
        ...{ cardId: 'c1', transactionId: 'p4', status: 'completed', cleared: '4.00', reported: 'reversed' },
        after: { balance: '111.00', available: '111.00' },
      },
    ],
    [
      'PaymentRecorded',
      {
        ...{ cardId: 'c1', payment: { ...payment('p5', 'refund', '3.00', 'completed'), refundOf: 'p4' } },
        after: { balance: '114.00', available: '114.00' },
      },
    ],
  ]),
  ...claim('p1', 'purchase', '30.00'),
  ...claim('p2', 'refund', '5.00'),
  ...claim('p3', 'withdrawal', '500.00'),
  ...claim('p4', 'purchase', '10.00'),
  ...claim('p5', 'refund', '3.00'),
];

const operator = (id: string): object => ({ kind: 'operator', id });
const adjustment = (adjustmentId: string, direction: string, amount: string, available: string): object => ({
  ...{ adjustmentId, direction, amount, fourEyesAmount: '1000.00', proposedBy: operator('ida') },
  after: { available, held: '0.00' },
});
const by = (id: string, event: SampleEvent): SampleEvent => ({
  ...event,
  metadata: JSON.stringify({ ...(JSON.parse(metadata) as object), actor: operator(id) }),
});

/** The operators of the log of adjustments: ida, bob, and vera, who only reads. */
const operatorsLog: readonly SampleEvent[] = streamOf(
  'operators-all',
  ['OperatorCreated', { operatorId: 'ida', role: 'finance' }],
  ['OperatorCreated', { operatorId: 'bob', role: 'support' }],
  ['OperatorRoleChanged', { operatorId: 'bob', role: 'admin' }],
  ['OperatorCreated', { operatorId: 'vera', role: 'viewer' }],
  ['OperatorTokenRotated', { operatorId: 'vera' }],
).map((event) => by('bootstrap', event));

/** A small credit and a small debit by one operator, and a credit that two operators have approved. */
export const adjustmentsLog: readonly SampleEvent[] = [
  ...operatorsLog,
  ...streamOf(
    'approval-a3',
    [
      'DecisionProposed',
      {
        ...{ approvalId: 'a3', subject: { kind: 'adjustment', id: 'a3' }, amount: '1000.00', requestId: 'q1' },
        decision: { accountId: 'acme-live', direction: 'credit', amount: '1000.00', reason: 'Lost deposit' },
        proposedBy: operator('ida'),
      },
    ],
    ['DecisionConfirmed', { approvalId: 'a3', confirmedBy: operator('bob'), requestId: 'q2' }],
  ).map((event, index) => by(index === 0 ? 'ida' : 'bob', event)),
  ...streamOf(
    'account-acme-live',
    ['AccountAdjusted', adjustment('a1', 'credit', '999.99', '999.99')],
    ['AccountAdjusted', adjustment('a2', 'debit', '9.99', '990.00')],
    ['AccountAdjusted', { ...adjustment('a3', 'credit', '1000.00', '1990.00'), confirmedBy: operator('bob') }],
  ).map((event, index) => by(index === 2 ? 'bob' : 'ida', event)),
];

export function continued(
  log: readonly SampleEvent[],
  stream: string,
  events: readonly (readonly [type: string, data: object])[],
): readonly SampleEvent[] {
  const next = log.filter((event) => event.stream === stream).length;
  return streamOf(stream, ...events).map((event) => ({ ...event, revision: event.revision + next }));
}
