import { eventCodec, type Process } from '@florin/event-sourcing';
import type { FundsReserved } from '@florin/ledger-domain';
import {
  type CardEvent,
  cardEventVersions,
  fundsReservedVersions,
  type OperationEvent,
  operationEventVersions,
  type OperationTrigger,
  operationTriggerCategories,
  operationTriggers,
  reactTo,
  type TransactionEvent,
  transactionEventVersions,
} from '@florin/operations-domain';

const codec = eventCodec<OperationEvent | CardEvent | TransactionEvent | FundsReserved>({
  ...operationEventVersions,
  ...cardEventVersions,
  ...transactionEventVersions,
  ...fundsReservedVersions,
});

/** Continues operations and payments after the process that worked on them has stopped. */
export const operationsProcess: Process = {
  name: 'operations',
  categories: operationTriggerCategories,
  eventTypes: operationTriggers,
  react: (recorded) => reactTo(codec.decode(recorded).event as OperationTrigger),
};
