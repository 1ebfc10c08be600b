import { canonicalJson, deterministicId, sha256 } from '@florin/kernel';
import type { CardPayment, RecordTransaction } from '@florin/operations-domain';
import { type CardOwner, CardQueries } from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import { notFound, validationFailed } from '../../errors/api-error';
import type { TransactionCallback } from './callback-schemas';

/** Both contradict an earlier report and change nothing. */
const refusals = { payment_mismatch: 'idempotency_conflict', payment_settled: 'idempotency_conflict' } as const;

/** Records card payments that the issuer reports. They change the balance of the card, not of the account. */
@Injectable()
export class ReportedPayments {
  constructor(
    private readonly commands: Commands,
    private readonly cards: CardQueries,
  ) {}

  async record(origin: RequestOrigin, report: TransactionCallback): Promise<void> {
    const { cardId, accountId } = await this.cardOf(report);
    const { reference, type, amount, currency } = report.transaction;
    const transactionId = deterministicId('issuer transaction', reference);
    const payment: CardPayment = { ...report.transaction, transactionId };
    // Without the status, because a later report of the same payment has another one.
    const fingerprint = sha256(canonicalJson({ cardId, type, amount, currency, reference }));
    const command: RecordTransaction = {
      type: 'RecordTransaction',
      data: { transactionId, cardId, accountId, payment, fingerprint },
    };
    const id = deterministicId('issuer report', transactionId, payment.status);
    await this.commands.execute(origin, { context: 'operations', key: accountId, id, command, refusals });
  }

  private async cardOf({ companyId, cardId, cardReference }: TransactionCallback): Promise<CardOwner> {
    if ((cardId === undefined) === (cardReference === undefined)) {
      throw validationFailed('Exactly one of cardId and cardReference must be given.');
    }
    const card =
      cardReference === undefined
        ? await this.cards.findAnywhere(cardId!)
        : await this.cards.findByReference(cardReference);
    if (card === undefined || card.companyId !== companyId || card.environment !== 'live') {
      throw notFound('There is no such live card of this company.');
    }
    return card;
  }
}
