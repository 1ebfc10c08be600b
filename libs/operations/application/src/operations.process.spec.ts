import { type RecordedEvent, UnreadableEvent } from '@florin/event-sourcing';
import { operationsProcess } from './operations.process';

const recorded = (type: string, stream: string, data: object, position: bigint): RecordedEvent => {
  return { id: `e${position}`, type, stream, revision: 0, position, data: JSON.stringify(data), metadata: '{}' };
};

describe('the operations process', () => {
  it('is not even shown what has no consequences', () => {
    expect(operationsProcess.eventTypes).not.toContain('OperationCompleted');
    expect(operationsProcess.eventTypes).toContain('FundsReserved');
  });

  const steps = (type: string, data: object, schemaVersion = 1) => {
    const metadata = JSON.stringify({ schemaVersion });
    return operationsProcess.react({ ...recorded(type, 'any-stream', data, 1n), metadata });
  };

  it('queues the operation that a hold was taken for, and leaves the holds of others alone', () => {
    const order = { operationId: 'x' };
    const command = { type: 'QueueOperation', data: { operationId: 'x', order } };
    expect(steps('FundsReserved', { reservationId: 'x', purpose: order })).toMatchObject([{ key: 'x', command }]);
    expect(steps('FundsReserved', { reservationId: 'x' })).toEqual([]);
  });

  it('moves an operation on that the issuer has accepted', () => {
    const command = { type: 'AdvanceOperation', data: { operationId: 'x' } };
    expect(steps('IssuerAccepted', { operationId: 'x' })).toMatchObject([{ context: 'operations', key: 'x', command }]);
  });

  it('does not guess at what a newer ledger wrote', () => {
    expect(() => steps('FundsReserved', { reservationId: 'x' }, 2)).toThrow(UnreadableEvent);
  });
});
