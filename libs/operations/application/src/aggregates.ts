import { CLOCK, CommandHandler, EVENT_STORE, type EventStore } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import {
  type CardAnswer,
  cardAnswer,
  type CardCommand,
  cardDecider,
  type CardEvent,
  cardEventVersions,
  type CardRefusal,
  type CardState,
  type HolderAnswer,
  holderAnswer,
  type HolderCommand,
  holderDecider,
  type HolderDirectory,
  type HolderEvent,
  holderEventVersions,
  type HolderRefusal,
  type OperationCommand,
  operationDecider,
  type OperationEvent,
  operationEventVersions,
  type OperationRefusal,
  type OperationState,
  type Product,
  productAnswer,
  type ProductCommand,
  productDecider,
  type ProductEvent,
  productEventVersions,
  type ProductRefusal,
  type ProductState,
  type KeepQuote,
  type Quote,
  quoteDecider,
  quoteEventVersions,
  type QuoteKept,
  type QuoteRefusal,
  type QuoteState,
  type TransactionClaimed,
  type TransactionCommand,
  transactionDecider,
  type TransactionEvent,
  transactionEventVersions,
  type TransactionRefusal,
  type TransactionState,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { type OperationAnswer, operationAnswer } from './operation-answer';

/** How old a remembered state may be where a mistake is caught later: another replica may have written since. */
export const rememberedMs = 1_000;

/** For what may rest on anything that was ever true: acting on it again does no harm. */
export const anyAgeMs = Infinity;

/** For what has to rest on the store as it is now. */
export const freshMs = 0;

/** Those that a busy minute touches are remembered, so that moving them on reads nothing. */
const rememberedOperations = 20_000;

@Injectable()
export class Operations extends CommandHandler<
  OperationState,
  OperationCommand,
  OperationEvent,
  OperationRefusal,
  OperationAnswer
> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super({
      decider: operationDecider,
      versions: operationEventVersions,
      store,
      clock,
      answer: operationAnswer,
      cachedStreams: rememberedOperations,
    });
  }
}

@Injectable()
export class Cards extends CommandHandler<CardState, CardCommand, CardEvent, CardRefusal, CardAnswer> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super({ decider: cardDecider, versions: cardEventVersions, store, clock, answer: cardAnswer });
  }
}

/** One stream for all holders of an account. */
@Injectable()
export class Holders extends CommandHandler<HolderDirectory, HolderCommand, HolderEvent, HolderRefusal, HolderAnswer> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    const answer = (directory: HolderDirectory, { data }: HolderCommand): HolderAnswer =>
      holderAnswer(directory, data.holderId);
    super({ decider: holderDecider, versions: holderEventVersions, store, clock, answer });
  }
}

@Injectable()
export class Products extends CommandHandler<ProductState, ProductCommand, ProductEvent, ProductRefusal, Product> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super({ decider: productDecider, versions: productEventVersions, store, clock, answer: productAnswer });
  }
}

/** Answers with the quote that was kept first. */
@Injectable()
export class Quotes extends CommandHandler<QuoteState, KeepQuote, QuoteKept, QuoteRefusal, Quote> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    const answer = (kept: QuoteState, { data }: KeepQuote): Quote => (kept ?? data).quote;
    super({ decider: quoteDecider, versions: quoteEventVersions, store, clock, answer });
  }
}

/** Answers with the claim that stands, which is the first one. */
@Injectable()
export class Transactions extends CommandHandler<
  TransactionState,
  TransactionCommand,
  TransactionEvent,
  TransactionRefusal,
  TransactionClaimed['data']
> {
  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(CLOCK) clock: Clock) {
    super({
      decider: transactionDecider,
      versions: transactionEventVersions,
      store,
      clock,
      answer: (claim, { data }) => claim ?? data,
    });
  }
}
