import { type OperationStatus, statusOf } from '@florin/audit';
import { cents, type History, type PastEvent, text } from './history';

export interface OperationOutcome {
  readonly id: string;
  readonly stream: string;
  readonly account: string;
  readonly companyId: string;
  readonly environment: string;
  readonly type: string;
  readonly amount: bigint;
  readonly total: bigint;
  readonly cardId: string | undefined;
  readonly status: OperationStatus;
  readonly types: readonly string[];
}

interface Order {
  readonly companyId: string;
  readonly environment: string;
  readonly accountId: string;
  readonly type: string;
  readonly amount: string;
  readonly total: string;
  readonly cardId?: string;
}

/** The outcome of every operation, derived from the types of its events only. */
export function operationOutcomes(history: History): ReadonlyMap<string, OperationOutcome> {
  const outcomes = history.category('operation').flatMap(([stream, events]) => outcomeOf(stream, events) ?? []);
  return new Map(outcomes.map((outcome) => [outcome.id, outcome]));
}

function outcomeOf(stream: string, events: readonly PastEvent[]): OperationOutcome | undefined {
  const queued = events.find(({ type }) => type === 'OperationQueued');
  if (queued === undefined) return undefined;
  const order = queued.data['order'] as Order;
  return {
    ...{ id: text(queued, 'operationId'), stream, account: `account-${order.accountId}`, companyId: order.companyId },
    ...{ environment: order.environment, type: order.type, cardId: order.cardId },
    ...{ amount: cents(order.amount), total: cents(order.total) },
    status: statusOf(events),
    types: events.map(({ type }) => type),
  };
}
