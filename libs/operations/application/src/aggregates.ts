import {
  CLOCK,
  CommandHandler,
  type CommandHandlerOptions,
  EVENT_STORE,
  type EventStore,
  SNAPSHOT_STORE,
  type SnapshotStore,
} from '@florin/event-sourcing';
import type { AnyAggregate, Clock } from '@florin/kernel';
import {
  cardAggregate,
  holderAggregate,
  operationAggregate,
  productAggregate,
  quoteAggregate,
  transactionAggregate,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';

/** The maximum age of cached state if a stale decision is detected later. */
export const shortCacheMs = 1_000;

/** Cached state of any age, for idempotent steps. */
export const anyCacheAgeMs = Infinity;

/** Always reads the store. */
export const noCacheMs = 0;

/** The operations of a busy minute, so advancing them needs no reads. */
const cachedOperations = 20_000;

/** The base of an injectable command handler. */
function handlerOf<A extends AnyAggregate>(
  aggregate: A,
  options: Pick<CommandHandlerOptions, 'cachedStreams' | 'firstCommand'> = {},
) {
  @Injectable()
  class Handler extends CommandHandler<A> {
    constructor(
      @Inject(EVENT_STORE) store: EventStore,
      @Inject(CLOCK) clock: Clock,
      @Inject(SNAPSHOT_STORE) snapshots?: SnapshotStore,
    ) {
      super(aggregate, { store, snapshots, clock, ...options });
    }
  }
  return Handler;
}

export class Operations extends handlerOf(operationAggregate, {
  cachedStreams: cachedOperations,
  firstCommand: 'QueueOperation',
}) {}
export class Cards extends handlerOf(cardAggregate, { firstCommand: 'IssueCard' }) {}
/** One stream for all holders of an account. */
export class Holders extends handlerOf(holderAggregate) {}
export class Products extends handlerOf(productAggregate) {}
export class Quotes extends handlerOf(quoteAggregate) {}
export class Transactions extends handlerOf(transactionAggregate) {}
