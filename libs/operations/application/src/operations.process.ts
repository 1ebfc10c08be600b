import { eventCodec, type Process } from '@florin/event-sourcing';
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
  react: (recorded) => reactTo(codec.decode(recorded).event as OperationTrigger),
};
