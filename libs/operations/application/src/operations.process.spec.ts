import { type RecordedEvent, UnreadableEvent } from '@florin/event-sourcing';
import { operationsProcess } from './operations.process';

const recorded = (type: string, data: object, schemaVersion: number): RecordedEvent => {
  const text = { data: JSON.stringify(data), metadata: JSON.stringify({ schemaVersion }) };
  return { id: 'e1', type, stream: 'any-stream', revision: 0, position: 1n, ...text };
};

describe('the operations process', () => {
  it('does not subscribe to events without consequences', () => {
    expect(operationsProcess.eventTypes).not.toContain('OperationCompleted');
    expect(operationsProcess.eventTypes).toContain('FundsReserved');
  });

  const steps = (type: string, data: object, schemaVersion = 1) =>
    operationsProcess.react(recorded(type, data, schemaVersion));

  it.each([
    [1, 'purpose'],
    [2, 'order'],
  ])('queues the operation whose order is in version %i of FundsReserved, in the field %s', (version, field) => {
    const order = { operationId: 'x' };
    const command = { type: 'QueueOperation', data: { operationId: 'x', order } };
    expect(steps('FundsReserved', { reservationId: 'x', [field]: order }, version)).toMatchObject([
      { key: 'x', command },
    ]);
    expect(steps('FundsReserved', { reservationId: 'x' }, version)).toEqual([]);
  });

  it('advances an operation that the issuer has accepted', () => {
    const command = { type: 'AdvanceOperation', data: { operationId: 'x' } };
    expect(steps('IssuerAccepted', { operationId: 'x' })).toMatchObject([{ context: 'operations', key: 'x', command }]);
  });

  it.each([1, 2])('advances an operation after version %i of its resolved review', (version) => {
    const command = { type: 'AdvanceOperation', data: { operationId: 'x' } };
    expect(steps('ReviewResolved', { operationId: 'x', outcome: 'failed' }, version)).toMatchObject([{ command }]);
  });

  it('stops at an event of a newer ledger', () => {
    expect(() => steps('FundsReserved', { reservationId: 'x' }, 4)).toThrow(UnreadableEvent);
  });
});
