import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId, sha256 } from '@florin/kernel';
import type { CardPayment, PaymentAnswer, RecordTransaction } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import type { AuthorizationRequest, ClearingCallback, TransactionCallback } from './callback-schemas';
import { LiveCards } from './live-cards';

/** All contradict an earlier report and change nothing. */
const refusals = { payment_mismatch: 'idempotency_conflict', payment_settled: 'idempotency_conflict' } as const;

export type Decision =
  { readonly decision: 'approve' } | { readonly decision: 'decline'; readonly reason?: PaymentAnswer['declineReason'] };

/** Records card payments that the issuer reports. They change the balance of the card, not of the account. */
@Injectable()
export class ReportedPayments {
  constructor(
    private readonly commands: Commands,
    private readonly cards: LiveCards,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async record(origin: RequestOrigin, report: TransactionCallback): Promise<void> {
    const { refundOf, ...payment } = report.transaction;
    const original = refundOf === undefined ? {} : { refundOf: transactionIdOf(refundOf) };
    await this.report(origin, report, { ...payment, ...original });
  }

  async clear(origin: RequestOrigin, report: ClearingCallback): Promise<void> {
    const { reference: clearingReference, transactionReference: reference, final, ...payment } = report.clearing;
    const clearingId = deterministicId('issuer clearing', clearingReference);
    const clearing = { clearingId, final, amount: payment.amount };
    await this.report(origin, report, { ...payment, reference, status: 'completed', clearing });
  }

  /** The decision is stored before it is returned. A repeat returns the same one, also after the payment has ended. */
  async authorize(origin: RequestOrigin, request: AuthorizationRequest): Promise<Decision> {
    const { status, declineReason } = await this.report(origin, request, {
      ...request.authorization,
      status: 'pending',
    });
    if (status !== 'declined') return { decision: 'approve' };
    return { decision: 'decline', ...(declineReason !== undefined && { reason: declineReason }) };
  }

  private async report(
    origin: RequestOrigin,
    about: Parameters<LiveCards['find']>[0],
    reported: Omit<CardPayment, 'transactionId'>,
  ): Promise<PaymentAnswer> {
    const { cardId, accountId } = await this.cards.find(about);
    const { reference, type, amount, currency, status, clearing } = reported;
    const transactionId = transactionIdOf(reference);
    const payment: CardPayment = { ...reported, transactionId };
    // Without the status, because a later report of the same payment has another one.
    const fingerprint = sha256(canonicalJson({ cardId, type, amount, currency, reference }));
    const reportedAt = this.clock.now().toISOString();
    const command: RecordTransaction = {
      type: 'RecordTransaction',
      data: { transactionId, cardId, accountId, payment, fingerprint, reportedAt },
    };
    const id = deterministicId('issuer report', transactionId, clearing?.clearingId ?? status);
    const sent = { context: 'operations', key: accountId, id, command, refusals } as const;
    return (await this.commands.execute<PaymentAnswer>(origin, sent)).answer;
  }
}

function transactionIdOf(reference: string): string {
  return deterministicId('issuer transaction', reference);
}
