/** The fields of a stored event that audits and checks read. */
export interface SampleEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

const metadata = JSON.stringify({ recordedAt: '2030-01-01T00:00:00.000Z' });

function streamOf(stream: string, ...events: readonly (readonly [type: string, data: object])[]): SampleEvent[] {
  return events.map(([type, data], revision) => ({ stream, revision, type, data: JSON.stringify(data), metadata }));
}

const order = (type: string, amount: string, total: string, cardId?: string): object => ({
  ...{ companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox', type, amount, total, cardId },
});

const reservation = (reservationId: string, amount: string, available: string, held: string): object => ({
  ...{ reservationId, amount, after: { available, held } },
});

/** One completed operation, one failed operation and one in review. */
export const sampleLog: readonly SampleEvent[] = [
  ...streamOf(
    'account-acme-sandbox',
    [
      'FundsDeposited',
      { depositId: 'd', amount: '1000.00', fee: '50.00', after: { available: '950.00', held: '0.00' } },
    ],
    ['FundsReserved', reservation('1', '103.20', '846.80', '103.20')],
    ['ReservationCaptured', reservation('1', '103.20', '846.80', '0.00')],
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
  ...streamOf('card-c1', ['CardIssued', { cardId: 'c1', operationId: '1', amount: '100.00' }]),
];
