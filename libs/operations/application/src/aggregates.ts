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

/** How old a remembered state may be where a mistake is caught later: another replica may have written since. */
export const rememberedMs = 1_000;

/** For what may rest on anything that was ever true: acting on it again does no harm. */
export const anyAgeMs = Infinity;

/** For what has to rest on the store as it is now. */
export const freshMs = 0;

/** Those that a busy minute touches are remembered, so that moving them on reads nothing. */
const rememberedOperations = 20_000;

@Injectable()
export class Operations extends CommandHandler<typeof operationAggregate> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super(operationAggregate, { store, clock, cachedStreams: rememberedOperations });
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
