import { decidedByOne } from '@florin/kernel/testing';
import { type IssuerResponse, type OperationCommand, type Order, operationTypes } from '@florin/operations-domain';
import fc from 'fast-check';
import { acme, acmeLive, ida, idOf, type Owner } from '../../testing/owners';

export const createdAt = '2030-01-01T09:59:59.999Z';

export function orderOf(operationId: string, { companyId, environment }: Owner, details: Partial<Order> = {}): Order {
  return {
    operationId,
    companyId,
    environment,
    accountId: `${companyId}-${environment}`,
    type: 'issue',
    productId: 'virtual-usd',
    amount: '100.00',
    fee: '3.20',
    total: '103.20',
    holderId: idOf('holder', 1),
    cardId: idOf('card', 1),
    fingerprint: 'f',
    createdAt,
    ...details,
  };
}

export const queue = (order: Order): OperationCommand => ({
  type: 'QueueOperation',
  data: { operationId: order.operationId, order },
});

export const start = (operationId: string): OperationCommand => ({
  type: 'StartIssuerCall',
  data: { operationId, callId: idOf('call', 1), deadline: '2030-01-01T10:00:30.000Z' },
});

export const record = (operationId: string, response: IssuerResponse): OperationCommand => ({
  type: 'RecordIssuerResponse',
  data: { operationId, callId: idOf('call', 1), response, respondedAt: '2030-01-01T10:00:01.000Z' },
});

export const abandon = (operationId: string): OperationCommand => ({
  type: 'AbandonIssuerCall',
  data: { operationId, now: '2030-01-01T11:00:00.000Z' },
});

export const note = (
  operationId: string,
  number: number,
  response: IssuerResponse,
  amount = '100.00',
): OperationCommand => ({
  type: 'NoteLateResponse',
  data: {
    ...{ operationId, noteId: idOf('note', number), companyId: acme.companyId, amount, response },
    notedAt: `2030-01-02T00:00:0${9 - number}.000Z`,
  },
});

export const resolve = (operationId: string, outcome: 'completed' | 'failed'): OperationCommand => ({
  type: 'ResolveReview',
  data: { operationId, outcome, note: 'The issuer said so', last4: '4242', receipt: 'R-1', ...decidedByOne },
});

export const complete = (operationId: string): OperationCommand => ({
  type: 'CompleteOperation',
  data: { operationId },
});
export const fail = (operationId: string): OperationCommand => ({ type: 'FailOperation', data: { operationId } });

const answers = fc.constantFrom<IssuerResponse>(
  { outcome: 'accepted', receipt: 'R-"2"\\, {x}' },
  { outcome: 'accepted', last4: '4242', cardReference: 'crd' },
  { outcome: 'declined', code: 'declined', message: 'No\0 \ud800 {money}, "none"' },
  { outcome: 'unknown', reason: 'no response' },
);

const owners: readonly Owner[] = [acme, acmeLive, ida];

/** Few operations and mostly valid steps, to reach all phases. */
const command = fc
  .tuple(fc.nat({ max: 5 }), fc.nat({ max: 9 }), answers, fc.nat({ max: 9 }), fc.boolean())
  .map(([number, step, answer, noteNumber, yes]): OperationCommand => {
    const id = idOf('operation', number);
    const type = operationTypes[number % 3]!;
    const order = orderOf(id, owners[number % owners.length]!, {
      type,
      ...(type === 'service' && { recipient: 'Ödön' }),
      // If the operation has ended, the newer order is in an orphaned reservation.
      createdAt: yes ? createdAt : '2030-01-01T12:00:00.000Z',
    });
    if (step <= 2) return queue(order);
    if (step <= 4) return start(id);
    if (step === 5) return yes ? record(id, answer) : abandon(id);
    if (step === 6) return note(id, noteNumber, answer, yes ? '100.00' : '1.00');
    if (step === 7) return resolve(id, yes ? 'completed' : 'failed');
    return step === 8 ? complete(id) : fail(id);
  });

export const operationCommands = fc.array(command, { minLength: 50, maxLength: 200, size: 'max' });
