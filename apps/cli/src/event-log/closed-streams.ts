import { type ClosedStreams, closedStreams } from '@florin/event-sourcing';
import { hasEnded, operationAggregate, quoteAggregate, transactionAggregate } from '@florin/operations-domain';
import { chainAggregate, lastBlockOf } from '@florin/tron-domain';

/**
 * The streams that `florin archive` moves. All others stay: accounts, cards, invoices, addresses, holders and what operators manage have
 * no final state, and commands read them all the time.
 */
export const archivedCategories: readonly ClosedStreams[] = [
  closedStreams(operationAggregate, ['OperationCompleted', 'OperationFailed'], hasEnded),
  // The first event is the only one.
  closedStreams(transactionAggregate, ['TransactionClaimed'], (claim) => claim !== undefined),
  closedStreams(quoteAggregate, ['QuoteKept'], (quote) => quote !== undefined),
  // A segment of the chain ends with its last block.
  closedStreams(chainAggregate, ['BlocksRead'], ({ last }, id) => last?.number === lastBlockOf(Number(id))),
];
