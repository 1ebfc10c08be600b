import { eventCodec, type Process, type RecordedEvent } from '@florin/event-sourcing';
import type { EventVersions } from '@florin/kernel';
import type { FundsReserved } from '@florin/ledger-domain';
import {
  type OperationEvent,
  operationEventVersions,
  type OperationTrigger,
  operationTriggerCategories,
  operationTriggers,
  reactTo,
  type TransactionEvent,
  transactionEventVersions,
} from '@florin/operations-domain';

/** The ledger's event in the version that operations understand; a newer one stops the process instead of being guessed at. */
const holdVersions: EventVersions<FundsReserved> = { FundsReserved: [] };

const codec = eventCodec<OperationEvent | TransactionEvent | FundsReserved>({
  ...operationEventVersions,
  ...transactionEventVersions,
  ...holdVersions,
});

/** Keeps every operation and every payment going, whoever was stopped in the middle of it. */
export const operationsProcess: Process = {
  name: 'operations',
  categories: operationTriggerCategories,
  eventTypes: operationTriggers,
  select: withoutQueuedHolds,
  react: (recorded) => reactTo(codec.decode(recorded).event as OperationTrigger),
};

/**
 * Nearly every hold is followed by its operation within a moment, most often in the same batch. Only where it is not may
 * somebody have been stopped in between: to queue all of them once more would take as long as accepting them did. A
 * hold that comes after its operation is another one, and stays.
 */
function withoutQueuedHolds(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const queuedLater = new Set<string>();
  return events
    .reduceRight<RecordedEvent[]>((kept, event) => {
      if (event.type === 'OperationQueued') queuedLater.add(event.stream);
      const isQueued =
        event.type === 'FundsReserved' && queuedLater.has(`operation-${reservationIdIn.exec(event.data)?.[1]}`);
      if (!isQueued) kept.push(event);
      return kept;
    }, [])
    .reverse();
}

/** Reading the whole event would cost more than the answer is worth; where this finds nothing, nothing is left out. */
const reservationIdIn = /"reservationId":"([^"]+)"/;
