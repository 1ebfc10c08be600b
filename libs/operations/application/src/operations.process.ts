import { eventCodec, type Process } from '@florin/event-sourcing';
import type { AccountEvent, FundsReserved } from '@florin/ledger-domain';
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

const versions = {
  ...operationEventVersions,
  ...cardEventVersions,
  ...transactionEventVersions,
  ...fundsReservedVersions,
};
const codec = eventCodec<OperationEvent | CardEvent | TransactionEvent | FundsReserved>(versions);

const accountEvents: Readonly<Record<AccountEvent['type'], true>> = {
  ...{ AccountAdjusted: true, FundsDeposited: true, FundsRefunded: true, FundsReserved: true },
  ...{ ReservationCaptured: true, ReservationReleased: true },
};

/** Continues operations and payments after the process that worked on them has stopped. */
export const operationsProcess: Process = {
  name: 'operations',
  categories: operationTriggerCategories,
  eventTypes: operationTriggers,
  knownEventTypes: [versions, accountEvents].flatMap(Object.keys),
  react: (recorded) => reactTo(codec.decode(recorded).event as OperationTrigger),
};
