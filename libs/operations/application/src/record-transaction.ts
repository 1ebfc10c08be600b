import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import { randomId, refuse } from '@florin/kernel';
import {
  type CardPayment,
  type CardRefusal,
  type PaymentAnswer,
  paymentAnswer,
  type RecordTransaction,
  type TransactionClaimed,
  type TransactionRefusal,
} from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import { Cards, noCacheMs, shortCacheMs, Transactions } from './aggregates';

type Reply = CommandReply<PaymentAnswer, CardRefusal | TransactionRefusal>;

/**
 * Records a card payment: new, with a new status, or a clearing. The claim comes first and binds the transaction id to this
 * card; after a crash in between, the process reports the payment to the card.
 */
@Injectable()
export class RecordTransactionHandler {
  constructor(
    private readonly transactions: Transactions,
    private readonly cards: Cards,
  ) {}

  async execute({ data }: RecordTransaction, { headers }: CommandContext): Promise<Reply> {
    const { transactionId, cardId, accountId, reportedAt } = data;
    // Checked before the claim, so a wrong card id does not use up the transaction id.
    const isOwn = (await this.owns(accountId, cardId, shortCacheMs)) || (await this.owns(accountId, cardId, noCacheMs));
    if (!isOwn) return { ok: false, refusal: refuse('not_found', 'There is no such card: check the card id') };

    const claim = { type: 'ClaimTransaction', data } as const;
    const claimed = await this.transactions.handle(transactionId, claim, { id: randomId(), headers });
    if (!claimed.ok) return claimed;

    const report = (payment: CardPayment, at: string | undefined) => {
      const command = { type: 'ReportPayment', data: { cardId, accountId, payment, reportedAt: at } } as const;
      return this.cards.handle(cardId, command, { id: randomId(), headers });
    };
    const first = claimed.answer;
    const payment = paymentToReport(data.payment, first);
    // A clearing follows its authorization, which a crash may have kept from the card.
    if (payment.clearing !== first.payment.clearing && !(await this.knows(cardId, transactionId))) {
      const authorized = await report(first.payment, first.reportedAt);
      if (!authorized.ok) return authorized;
    }
    const reported = await report(payment, reportedAt);
    if (!reported.ok) return reported;
    const answer = await this.cards.read(cardId, shortCacheMs, (card) => paymentAnswer(card, payment));
    // The process may have reported the claim first; that alone does not make this a repeat.
    return { ok: true, repeated: claimed.repeated && reported.repeated, answer };
  }

  private owns(accountId: string, cardId: string, maxAgeMs: number): Promise<boolean> {
    return this.cards.read(cardId, maxAgeMs, (card) => card?.issued.accountId === accountId);
  }

  private knows(cardId: string, transactionId: string): Promise<boolean> {
    return this.cards.read(cardId, shortCacheMs, (card) => card?.payments.has(transactionId) ?? false);
  }
}

/** The first claim is final; only the status or a clearing is new. */
function paymentToReport({ status, clearing }: CardPayment, { payment }: TransactionClaimed['data']): CardPayment {
  const isFirst = clearing !== undefined && clearing.clearingId === payment.clearing?.clearingId;
  return isFirst ? payment : { ...payment, status, clearing };
}
