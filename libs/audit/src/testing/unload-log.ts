import { continued, type SampleEvent, sampleLog, streamOf } from './sample-log';

const unloadOrder = (operationId: string, amount: string, unloadNumber: number): object => ({
  ...{ operationId, companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox', type: 'unload' },
  ...{ amount, total: amount, cardId: 'c1', unloadNumber },
});
const unloadEvent = (
  operationId: string,
  amount: string,
  balance: string,
  available: string,
  more: object,
): object => ({
  ...{ cardId: 'c1', operationId, amount, ...more, after: { balance, available } },
});

/** The sample log with three unloads of its card, which has 100.00: completed, failed and in review. */
export const unloadLog: readonly SampleEvent[] = [
  ...sampleLog,
  ...continued(sampleLog, 'card-c1', [
    ['UnloadReserved', unloadEvent('u1', '20.00', '100.00', '80.00', { order: unloadOrder('u1', '20.00', 1) })],
    ['UnloadReserved', unloadEvent('u2', '30.00', '100.00', '50.00', { order: unloadOrder('u2', '30.00', 2) })],
    ['UnloadReserved', unloadEvent('u3', '40.00', '100.00', '10.00', { order: unloadOrder('u3', '40.00', 3) })],
    ['CardUnloaded', unloadEvent('u1', '20.00', '80.00', '10.00', { unloadNumber: 1 })],
    ['UnloadReleased', unloadEvent('u2', '30.00', '80.00', '40.00', {})],
    ['TopupStarted', { cardId: 'c1', operationId: 't1', amount: '5.00' }],
    ['TopupCanceled', { cardId: 'c1', operationId: 't1' }],
  ]),
  ...continued(sampleLog, 'account-acme-sandbox', [
    [
      'FundsRefunded',
      {
        ...{ refundId: 'u1', reference: 'u1', cardId: 'c1', unloadNumber: 1, amount: '20.00' },
        after: { available: '816.80', held: '50.00' },
      },
    ],
  ]),
  ...streamOf(
    'operation-u1',
    ['OperationQueued', { operationId: 'u1', order: unloadOrder('u1', '20.00', 1) }],
    ['IssuerAccepted', { operationId: 'u1' }],
    ['OperationCompleted', { operationId: 'u1' }],
  ),
  ...streamOf(
    'operation-u2',
    ['OperationQueued', { operationId: 'u2', order: unloadOrder('u2', '30.00', 2) }],
    ['OperationDeclined', { operationId: 'u2' }],
    ['OperationFailed', { operationId: 'u2' }],
  ),
  ...streamOf(
    'operation-u3',
    ['OperationQueued', { operationId: 'u3', order: unloadOrder('u3', '40.00', 3) }],
    ['OperationSentToReview', { operationId: 'u3' }],
  ),
];
