import { eventCodec, type Projection, type RecordedEvent } from '@florin/event-sourcing';
import type { EventVersions } from '@florin/kernel';
import { accountAggregate, accountEventVersions, type FundsReserved } from '@florin/ledger-domain';
import {
  cardAggregate,
  cardEventVersions,
  operationAggregate,
  type OperationEvent,
  operationEventVersions,
  type Order,
  orderIn,
  type UnloadReserved,
} from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { applyOperationEvent, type OperationRows, rowOf, saveOperations } from './operation-rows';

/** The events that carry an order, from which an operation is visible. */
type Reserved = FundsReserved | UnloadReserved;

const { FundsReserved } = accountEventVersions;
const { UnloadReserved } = cardEventVersions;
const versions: EventVersions<OperationEvent | Reserved> = { ...operationEventVersions, FundsReserved, UnloadReserved };
const codec = eventCodec(versions);

/**
 * One row per operation, written once per batch. An operation is visible as soon as its funds are reserved on the account, or
 * for an unload on the card, before its own stream begins; the row of a reservation never replaces one of that stream.
 */
export const operationsProjection: Projection<PoolClient> = {
  name: 'operations',
  categories: [operationAggregate.category, accountAggregate.category, cardAggregate.category],
  eventTypes: Object.keys(versions),
  knownEventTypes: [operationEventVersions, accountEventVersions, cardEventVersions].flatMap(Object.keys),
  project: async (events, tx) => {
    const accepted: OperationRows = new Map();
    const rows: OperationRows = new Map();
    for (const recorded of events) applyToOperations(accepted, rows, recorded);
    // An operation whose reservation is in an earlier batch has a row already.
    for (const row of rows.values()) if (row.isWhole) row.isNew = accepted.delete(row.id);
    for (const row of accepted.values()) row.isNew = true;
    await saveOperations([...accepted.values(), ...rows.values()], tx);
  },
};

/** `accepted` has the rows of reservations, and `rows` those of the operations' own streams. */
export function applyToOperations(accepted: OperationRows, rows: OperationRows, recorded: RecordedEvent): void {
  const { event, metadata } = codec.decode(recorded);
  if (event.type !== 'FundsReserved' && event.type !== 'UnloadReserved') {
    applyOperationEvent(rows, event, recorded.revision, metadata.recordedAt, metadata.actor);
    return;
  }
  const order = orderOf(event);
  if (order !== undefined) accepted.set(order.operationId, rowOf(order, metadata.recordedAt));
}

function orderOf({ type, data }: Reserved): Order | undefined {
  return type === 'UnloadReserved' ? data.order : orderIn(data);
}
