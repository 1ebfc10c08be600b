import { commandLog } from '@florin/event-sourcing/testing';
import { type InvoiceCommand, invoiceDecider, invoiceEventVersions } from '@florin/invoicing-domain';
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
} from '@florin/operations-domain';
import { type EndpointCommand, endpointDecider, endpointEventVersions } from '@florin/webhooks-domain';

/** A log of everything that companies are latest of. */
export function webhooksLog() {
  const { clock, events, runner } = commandLog();
  return {
    clock,
    events,
    operation: runner(operationDecider, operationEventVersions, ({ data }: OperationCommand) => data.operationId),
    card: runner(cardDecider, cardEventVersions, ({ data }: CardCommand) => data.cardId),
    holder: runner(holderDecider, holderEventVersions, ({ data }: HolderCommand) => data.accountId),
    invoice: runner(invoiceDecider, invoiceEventVersions, ({ data }: InvoiceCommand) => data.accountId),
    endpoint: runner(endpointDecider, endpointEventVersions, ({ data }: EndpointCommand) => data.accountId),
  };
}

export type WebhooksLog = ReturnType<typeof webhooksLog>;
