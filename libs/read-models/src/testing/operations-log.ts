import { commandLog } from '@florin/event-sourcing/testing';
import { type AccountCommand, accountDecider, accountEventVersions } from '@florin/ledger-domain';
import {
  type CardCommand,
  cardDecider,
  cardEventVersions,
  type HolderCommand,
  holderDecider,
  holderEventVersions,
  type OperationCommand,
  operationDecider,
  operationEventVersions,
  type ProductCommand,
  productDecider,
  productEventVersions,
} from '@florin/operations-domain';

export function operationsLog() {
  const { clock, events, runner } = commandLog();
  return {
    clock,
    events,
    account: runner(accountDecider, accountEventVersions, ({ data }: AccountCommand) => data.accountId),
    operation: runner(operationDecider, operationEventVersions, ({ data }: OperationCommand) => data.operationId),
    card: runner(cardDecider, cardEventVersions, ({ data }: CardCommand) => data.cardId),
    holder: runner(holderDecider, holderEventVersions, ({ data }: HolderCommand) => data.accountId),
    product: runner(productDecider, productEventVersions, ({ data }: ProductCommand) => data.productId),
  };
}

export type OperationsLog = ReturnType<typeof operationsLog>;
