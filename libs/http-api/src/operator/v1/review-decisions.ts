import { CLOCK } from '@florin/event-sourcing';
import type { ResolveDeposit, ResolveInvoice } from '@florin/invoicing-domain';
import { type Clock, type Money, type OperatorDecision, parseMoney, parseUsdt, wholeCents } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { ResolveReview } from '@florin/operations-domain';
import {
  type DepositReviewView,
  InvoiceQueries,
  type InvoiceReviewView,
  type OperationReviewView,
  type ReviewView,
} from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { CommandToExecute } from '../../commands';
import { validationFailed } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import type { resolution } from './review-schemas';

export type Decision = z.output<typeof resolution>;

/** The fields of a decision that apply to only one kind of review. */
const kindOfField = {
  last4: 'operation',
  cardReference: 'operation',
  receipt: 'operation',
  invoiceId: 'deposit',
} as const;

/** A valid decision. */
export interface PreparedDecision {
  /** The amount that it moves to or from the company; 0 if it fails the review. */
  readonly amount: Money;
  /**
   * `requestId` identifies the decision: each is executed once, also if the invoice or deposit is reviewed again. The
   * operators who decided are known only after their approval.
   */
  command(requestId: string, decidedBy: OperatorDecision): CommandToExecute;
}

/** Converts the decision of an operator into the command for this kind of review. */
@Injectable()
export class ReviewDecisions {
  constructor(
    private readonly invoices: InvoiceQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Reads everything once, so that the compared amount is the one of the command. */
  async prepare(review: ReviewView, decision: Decision): Promise<PreparedDecision> {
    for (const [name, kind] of Object.entries(kindOfField)) {
      if (decision[name as keyof Decision] === undefined || kind === review.kind) continue;
      throw validationFailed(`${name} does not apply to a review of the kind ${review.kind}: remove it.`);
    }
    const isCompleted = decision.outcome === 'completed';
    switch (review.kind) {
      case 'operation':
        return {
          amount: isCompleted ? parseMoney(review.total) : 0n,
          command: (requestId, decidedBy) => ofOperation(review, decision, requestId, decidedBy),
        };
      case 'invoice':
        return {
          amount: isCompleted ? parseMoney(review.depositAmount) : 0n,
          command: (requestId, decidedBy) => ofInvoice(review, decision, requestId, decidedBy),
        };
      case 'deposit':
        return this.ofDeposit(review, decision);
    }
  }

  /** A deposit is credited with the amount of the invoice that it pays. */
  private async ofDeposit(
    review: DepositReviewView,
    { outcome, note, invoiceId }: Decision,
  ): Promise<PreparedDecision> {
    const { id: depositId, address } = review;
    const paid = outcome === 'completed' ? await this.paidInvoice(review, invoiceId) : undefined;
    if (paid === undefined && invoiceId !== undefined) {
      throw validationFailed('invoiceId does not apply to the outcome failed: remove it.');
    }
    const now = this.clock.now().toISOString();
    const refusals = {
      deposit_unknown: 'not_found',
      deposit_resolved: 'idempotency_conflict',
      wrong_status: 'validation_failed',
    } as const;
    const command = (requestId: string, decidedBy: OperatorDecision): CommandToExecute => {
      const resolve: ResolveDeposit = {
        type: 'ResolveDeposit',
        data: { address, depositId, outcome, note, requestId, now, ...paid?.reference, ...decidedBy },
      };
      return { context: 'invoicing', key: address, id: requestId, command: resolve, refusals };
    };
    if (paid === undefined) return { amount: 0n, command };
    const cents = wholeCents(parseUsdt(review.amount));
    return { amount: cents > paid.amount ? cents : paid.amount, command };
  }

  /** The account and amount of the invoice. Only its environment is checked here; the aggregates decide whether it can be credited. */
  private async paidInvoice(review: DepositReviewView, invoiceId: string | undefined) {
    if (invoiceId === undefined)
      throw validationFailed('invoiceId is required: send the id of the invoice that the deposit pays.');
    const found = mustBeFound(await this.invoices.findAnywhere(invoiceId), 'invoice', invoiceId);
    const environment = review.environment ?? 'live';
    if (found.environment !== environment) {
      throw validationFailed(
        `The deposit is ${environment}, invoice ${invoiceId} is ${found.environment}: use another invoice.`,
      );
    }
    return { amount: parseMoney(found.depositAmount), reference: { invoiceId, accountId: found.accountId } };
  }
}

function ofOperation(
  { id: operationId }: OperationReviewView,
  decision: Decision,
  requestId: string,
  decidedBy: OperatorDecision,
): CommandToExecute {
  const { invoiceId: _none, ...resolution } = decision;
  const command: ResolveReview = { type: 'ResolveReview', data: { operationId, ...resolution, ...decidedBy } };
  const refusals = {
    operation_unknown: 'not_found',
    wrong_phase: 'not_found',
    review_resolved: 'idempotency_conflict',
    card_details_missing: 'validation_failed',
  } as const;
  return { context: 'operations', key: operationId, id: requestId, command, refusals };
}

function ofInvoice(
  { id: invoiceId, companyId, environment }: InvoiceReviewView,
  { outcome, note }: Decision,
  requestId: string,
  decidedBy: OperatorDecision,
): CommandToExecute {
  const accountId = accountIdOf(companyId, environment);
  const command: ResolveInvoice = {
    type: 'ResolveInvoice',
    data: { accountId, invoiceId, outcome, note, requestId, ...decidedBy },
  };
  const refusals = { wrong_status: 'not_found', review_resolved: 'idempotency_conflict' } as const;
  return { context: 'invoicing', key: accountId, id: requestId, command, refusals };
}
