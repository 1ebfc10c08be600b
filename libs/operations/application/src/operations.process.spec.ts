import { type RecordedEvent, UnreadableEvent } from '@florin/event-sourcing';
import { operationsProcess } from './operations.process';

const recorded = (type: string, stream: string, data: object, position: bigint): RecordedEvent => {
  return { id: `e${position}`, type, stream, revision: 0, position, data: JSON.stringify(data), metadata: '{}' };
};
const held = (operationId: string, position: bigint) =>
  recorded('FundsReserved', 'account-a', { reservationId: operationId, amount: '1.00' }, position);
const queued = (operationId: string, position: bigint) =>
  recorded('OperationQueued', `operation-${operationId}`, { operationId }, position);

const selected = (...events: RecordedEvent[]) => operationsProcess.select!(events).map(({ position }) => position);

describe('the operations process', () => {
  it('passes over holds whose operation was queued after them, in the same batch', () => {
    expect(selected(held('x', 1n), held('y', 2n), queued('x', 3n), queued('y', 4n))).toEqual([3n, 4n]);
  });

  it('keeps a hold whose operation is not to be seen, or came before it', () => {
    expect(selected(held('x', 1n), queued('y', 2n))).toEqual([1n, 2n]);
    expect(selected(queued('x', 1n), held('x', 2n))).toEqual([1n, 2n]);
    expect(selected(held('x', 1n), queued('x', 2n), held('x', 3n))).toEqual([2n, 3n]);
  });

  it('is not even shown what has no consequences', () => {
    expect(operationsProcess.eventTypes).not.toContain('OperationCompleted');
    expect(operationsProcess.eventTypes).toContain('OperationQueued');
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

  it('moves an operation on that was queued', () => {
    const command = { type: 'AdvanceOperation', data: { operationId: 'x' } };
    expect(steps('OperationQueued', { operationId: 'x' })).toMatchObject([
      { context: 'operations', key: 'x', command },
    ]);
  });

  it('does not guess at what a newer ledger wrote', () => {
    expect(() => steps('FundsReserved', { reservationId: 'x' }, 2)).toThrow(UnreadableEvent);
  });
});
