import type { OperationEvent, OperationObject, Order } from '@florin/operations-domain';
import { deriveOperation } from './derive-operation';

const operationId = 'o1';
const order: Order = {
  ...{ operationId, companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox', type: 'issue' },
  ...{ productId: 'virtual-usd', amount: '100.00', fee: '3.20', total: '103.20', holderId: 'h1', cardId: 'c1' },
  ...{ name: 'Travel', metadata: { order: '4711' }, fingerprint: 'f', createdAt: '2030-01-01T00:00:00.000Z' },
};
const queued: OperationObject = {
  ...{ id: operationId, environment: 'sandbox', type: 'issue', status: 'queued' },
  ...{ amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD' },
  ...{ productId: 'virtual-usd', holderId: 'h1', name: 'Travel', metadata: { order: '4711' } },
  ...{ result: {}, createdAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' },
};
const updatedAt = '2030-01-01T00:00:01.000Z';

describe('deriveOperation', () => {
  it('creates the operation with the public fields of the order', () => {
    const derived = deriveOperation(undefined, { type: 'OperationQueued', data: { operationId, order } }, updatedAt);
    expect(derived).toStrictEqual({ type: 'operation.queued', object: queued });
  });

  it('derives an update for each final status', () => {
    const result = { cardId: 'c1', receipt: 'R-1' };
    expect(
      deriveOperation(queued, { type: 'OperationCompleted', data: { operationId, result } }, updatedAt),
    ).toStrictEqual({
      type: 'operation.completed',
      object: { ...queued, cardId: 'c1', status: 'completed', result, updatedAt },
    });
    const failure = { code: 'declined', message: 'No' };
    expect(
      deriveOperation(queued, { type: 'OperationFailed', data: { operationId, failure } }, updatedAt),
    ).toStrictEqual({
      type: 'operation.failed',
      object: { ...queued, status: 'failed', failure, updatedAt },
    });
    const review = { operationId, reason: 'The outcome at the issuer is unknown' };
    expect(deriveOperation(queued, { type: 'OperationSentToReview', data: review }, updatedAt)).toStrictEqual({
      type: 'operation.manual_review',
      object: { ...queued, status: 'manual_review', updatedAt },
    });
  });

  it.each<OperationEvent>([
    { type: 'IssuerCallStarted', data: { operationId, callId: 'call', deadline: order.createdAt } },
    { type: 'IssuerAccepted', data: { operationId, last4: '4242' } },
    { type: 'OperationDeclined', data: { operationId, failure: { code: 'declined', message: 'No' } } },
    { type: 'ReviewResolved', data: { operationId, outcome: 'failed', note: 'No' } },
    { type: 'StrayHoldFound', data: { operationId } },
  ])('derives nothing from $type', (event) => {
    expect(deriveOperation(queued, event, updatedAt)).toBeUndefined();
  });

  it('fails for a change before the creation', () => {
    const end: OperationEvent = { type: 'OperationCompleted', data: { operationId, result: {} } };
    expect(() => deriveOperation(undefined, end, updatedAt)).toThrow(/not published before/);
  });
});
