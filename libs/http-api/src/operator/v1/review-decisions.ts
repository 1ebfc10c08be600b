import { CLOCK } from '@florin/event-sourcing';
import type { ResolveDeposit, ResolveInvoice } from '@florin/invoicing-domain';
import { type Clock, randomId } from '@florin/kernel';
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
import { notFound, validationFailed } from '../../errors/api-error';
import type { resolution } from './review-schemas';

type Decision = z.output<typeof resolution>;

/** What can be told besides outcome and note, and about which kind of review. */
const kindOfField = {
  last4: 'operation',
  cardReference: 'operation',
  receipt: 'operation',
  invoiceId: 'deposit',
} as const;

/** Turns an operator's decision into the command that carries it out, as the kind of the review asks for. */
@Injectable()
export class ReviewDecisions {
  constructor(
    private readonly invoices: InvoiceQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async commandFor(review: ReviewView, decision: Decision): Promise<CommandToExecute> {
    for (const [name, kind] of Object.entries(kindOfField)) {
      if (decision[name as keyof Decision] === undefined || kind === review.kind) continue;
      throw validationFailed(`${name} is nothing to tell about this review, whose kind is ${review.kind}: remove it.`);
    }
    switch (review.kind) {
      case 'operation':
        return ofOperation(review, decision);
      case 'invoice':
        return ofInvoice(review, decision);
      case 'deposit':
        return this.ofDeposit(review, decision);
    }
  }

  private async ofDeposit(
    review: DepositReviewView,
    { outcome, note, invoiceId }: Decision,
  ): Promise<CommandToExecute> {
    const { id: depositId, address } = review;
    const pays = outcome === 'completed' ? await this.paidInvoice(review, invoiceId) : undefined;
    if (pays === undefined && invoiceId !== undefined) {
      throw validationFailed('invoiceId does not belong to the outcome failed: remove it.');
    }
    const now = this.clock.now().toISOString();
    const requestId = randomId();
    const command: ResolveDeposit = {
      type: 'ResolveDeposit',
      data: { address, depositId, outcome, note, requestId, now, ...pays },
    };
    const refusals = {
      deposit_unknown: 'not_found',
      deposit_resolved: 'idempotency_conflict',
      wrong_status: 'validation_failed',
    } as const;
    return { context: 'invoicing', key: address, id: requestId, command, refusals };
  }

  /** Whose the invoice is. Whether it can still take the money is for others to decide, but not whether it is real money. */
  private async paidInvoice(review: DepositReviewView, invoiceId: string | undefined) {
    if (invoiceId === undefined) throw validationFailed('invoiceId is required: say which invoice the deposit pays.');
    const found = await this.invoices.findAnywhere(invoiceId);
    if (found === undefined) throw notFound(`There is no invoice ${invoiceId}: check the id.`);
    const environment = review.environment ?? 'live';
    if (found.environment !== environment) {
      throw validationFailed(
        `The deposit is ${environment}, invoice ${invoiceId} is ${found.environment}: name another.`,
      );
    }
    return { invoiceId, accountId: found.accountId };
  }
}

function ofOperation({ id: operationId }: OperationReviewView, decision: Decision): CommandToExecute {
  const { invoiceId: _none, ...told } = decision;
  const command: ResolveReview = { type: 'ResolveReview', data: { operationId, ...told } };
  const refusals = {
    operation_unknown: 'not_found',
    wrong_phase: 'not_found',
    review_resolved: 'idempotency_conflict',
    card_details_missing: 'validation_failed',
  } as const;
  return { context: 'operations', key: operationId, id: randomId(), command, refusals };
}

function ofInvoice(review: InvoiceReviewView, { outcome, note }: Decision): CommandToExecute {
  const { id: invoiceId, companyId, environment } = review;
  const accountId = accountIdOf(companyId, environment);
  const requestId = randomId();
  const command: ResolveInvoice = { type: 'ResolveInvoice', data: { accountId, invoiceId, outcome, note, requestId } };
  const refusals = { wrong_status: 'not_found', review_resolved: 'idempotency_conflict' } as const;
  return { context: 'invoicing', key: accountId, id: requestId, command, refusals };
}
