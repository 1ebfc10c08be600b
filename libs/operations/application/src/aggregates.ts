import { CLOCK, CommandHandler, EVENT_STORE, type EventStore } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
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
export const anyAgeMs = Infinity;

/** Always reads the store. */
export const noCacheMs = 0;

/** The operations of a busy minute, so advancing them needs no reads. */
const cachedOperations = 20_000;

@Injectable()
export class Operations extends CommandHandler<typeof operationAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(operationAggregate, { store, clock, cachedStreams: cachedOperations });
  }
}

@Injectable()
export class Cards extends CommandHandler<typeof cardAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(cardAggregate, { store, clock });
  }
}

/** One stream for all holders of an account. */
@Injectable()
export class Holders extends CommandHandler<typeof holderAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(holderAggregate, { store, clock });
  }
}

@Injectable()
export class Products extends CommandHandler<typeof productAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(productAggregate, { store, clock });
  }
}

@Injectable()
export class Quotes extends CommandHandler<typeof quoteAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(quoteAggregate, { store, clock });
  }
}

@Injectable()
export class Transactions extends CommandHandler<typeof transactionAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(transactionAggregate, { store, clock });
  }
}
