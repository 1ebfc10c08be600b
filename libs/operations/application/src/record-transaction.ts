import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import { randomId, refuse } from '@florin/kernel';
import {
  type CardPayment,
  type CardRefusal,
  paymentAnswer,
  type RecordTransaction,
  type TransactionRefusal,
} from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import { Cards, noCacheMs, shortCacheMs, Transactions } from './aggregates';

/**
 * Records a card payment, new or with a new status. The claim comes first and binds the transaction id to this card; after a
 * crash in between, the process reports the payment to the card.
 */
@Injectable()
export class RecordTransactionHandler {
  constructor(
    private readonly transactions: Transactions,
    private readonly cards: Cards,
  ) {}

  async execute(
    { data }: RecordTransaction,
    { headers }: CommandContext,
  ): Promise<CommandReply<CardPayment, CardRefusal | TransactionRefusal>> {
    const { transactionId, cardId, accountId } = data;
    // Checked before the claim, so a wrong card id does not use up the transaction id.
    const isOwn = (await this.owns(accountId, cardId, shortCacheMs)) || (await this.owns(accountId, cardId, noCacheMs));
    if (!isOwn) return { ok: false, refusal: refuse('not_found', 'There is no such card: check the card id') };

    const claim = { type: 'ClaimTransaction', data } as const;
    const claimed = await this.transactions.handle(transactionId, claim, { id: randomId(), headers });
    if (!claimed.ok) return claimed;

    // The first claim is final; only the status may change.
    const payment = { ...claimed.answer.payment, status: data.payment.status };
    const report = { type: 'ReportPayment', data: { cardId, accountId, payment } } as const;
    const reported = await this.cards.handle(cardId, report, { id: randomId(), headers });
    if (!reported.ok) return reported;
    const answer = await this.cards.read(cardId, shortCacheMs, (card) => paymentAnswer(card, payment));
    // The process may have reported the claim first; that alone does not make this a repeat.
    return { ok: true, repeated: claimed.repeated && reported.repeated, answer };
  }

  private owns(accountId: string, cardId: string, maxAgeMs: number): Promise<boolean> {
    return this.cards.read(cardId, maxAgeMs, (card) => card?.issued.accountId === accountId);
  }
}
