import { commandLog } from '@florin/event-sourcing/testing';
import { type AccountCommand, accountAggregate } from '@florin/ledger-domain';
import {
  type CardCommand,
  cardAggregate,
  type HolderCommand,
  holderAggregate,
  type OperationCommand,
  operationAggregate,
  type ProductCommand,
  productAggregate,
} from '@florin/operations-domain';

export function operationsLog() {
  const { clock, events, runner } = commandLog();
  return {
    clock,
    events,
    account: runner(accountAggregate, ({ data }: AccountCommand) => data.accountId),
    operation: runner(operationAggregate, ({ data }: OperationCommand) => data.operationId),
    card: runner(cardAggregate, ({ data }: CardCommand) => data.cardId),
    holder: runner(holderAggregate, ({ data }: HolderCommand) => data.accountId),
    product: runner(productAggregate, ({ data }: ProductCommand) => data.productId),
  };
}

export type OperationsLog = ReturnType<typeof operationsLog>;
