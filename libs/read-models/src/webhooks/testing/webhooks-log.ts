import { commandLog } from '@florin/event-sourcing/testing';
import { type InvoiceCommand, invoiceAggregate } from '@florin/invoicing-domain';
import {
  type CardCommand,
  cardAggregate,
  type HolderCommand,
  holderAggregate,
  type OperationCommand,
  operationAggregate,
} from '@florin/operations-domain';
import { type EndpointCommand, endpointAggregate } from '@florin/webhooks-domain';

/** A log of all contexts that publish webhook events. */
export function webhooksLog() {
  const { clock, events, runner } = commandLog();
  return {
    clock,
    events,
    operation: runner(operationAggregate, ({ data }: OperationCommand) => data.operationId),
    card: runner(cardAggregate, ({ data }: CardCommand) => data.cardId),
    holder: runner(holderAggregate, ({ data }: HolderCommand) => data.accountId),
    invoice: runner(invoiceAggregate, ({ data }: InvoiceCommand) => data.accountId),
    endpoint: runner(endpointAggregate, ({ data }: EndpointCommand) => data.accountId),
  };
}

export type WebhooksLog = ReturnType<typeof webhooksLog>;
