import { canonicalJson, deterministicId, formatMoney, randomId, sha256 } from '@florin/kernel';
import { ApprovalQueries, type ApprovalView, ReviewQueries, type ReviewView } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import {
  ApiResponse,
  OperatorEndpoint,
  type OperatorIdInput,
  type OperatorInput,
  type ResponseOf,
} from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { paramsOf, reviewId } from '../../ids';
import { proposalBody } from './approval-schemas';
import { FourEyes, operatorOf } from './four-eyes';
import { type Decision, ReviewDecisions } from './review-decisions';
import { resolution, review } from './review-schemas';

const tag = 'Reviews';
const pages = z.strictObject(pageQuery);
const reviews = pageOf('ReviewPage', review);

@Controller()
export class ReviewsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: ReviewQueries,
    private readonly decisions: ReviewDecisions,
    private readonly approvals: ApprovalQueries,
    private readonly fourEyes: FourEyes,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/reviews',
    operationId: 'reviews.list',
    tag,
    role: 'viewer',
    summary: 'List reviews',
    description:
      'Returns operations whose outcome is unknown and whose funds stay reserved until you decide, invoices that were paid ' +
      'late or could not be credited, and unmatched deposits that may be meant for an invoice.',
    query: pages,
    response: { status: 200, description: 'A page of reviews, newest first.', schema: reviews },
  })
  async list(input: OperatorInput<undefined, typeof pages>): Promise<ResponseOf<typeof reviews>> {
    const page = await this.cursors.readPage<object, ReviewView>(input, byCreation, (_filters, wanted) =>
      this.queries.list(wanted),
    );
    const approvals = await this.approvals.findAll(page.data.map(approvalIdOf));
    return { ...page, data: page.data.map((each) => withProposal(each, approvals.get(approvalIdOf(each)))) };
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/reviews/:id/resolve',
    operationId: 'reviews.resolve',
    tag,
    role: 'finance',
    summary: 'Resolve a review',
    description:
      'Find out what happened before you decide: a decision cannot be undone. Repeating it changes nothing, and a different ' +
      'decision returns 409. To complete a live issue, send `last4` unless a callback has reported it. To complete a ' +
      'deposit, send the `invoiceId` of the invoice that it pays. From `FOUR_EYES_AMOUNT` on, `completed` is only proposed: ' +
      'a different operator confirms it by sending the same decision. `failed` takes one operator and ends the proposal.',
    params: paramsOf(reviewId),
    body: resolution,
    response: { status: 200, description: 'The resolved review.', schema: review },
    proposed: {
      status: 202,
      description: 'The review with the proposed decision. A different operator must send the same decision.',
      schema: review,
    },
    errors: ['idempotency_conflict', 'not_four_eyes'],
  })
  async resolve(input: OperatorIdInput<typeof resolution>): Promise<ResponseOf<typeof review>> {
    const { id } = input.params;
    const { body } = input;
    const found = await this.find(id);
    const { amount, command } = await this.decisions.prepare(found, body);
    const fourEyesAmount = this.fourEyes.fromAmount;
    if (!this.fourEyes.areRequiredFor(amount)) {
      const decidedBy = { fourEyesAmount, proposedBy: operatorOf(input.actor) };
      await this.commands.execute(input, command(randomId(), decidedBy));
      return this.read(id);
    }
    const approvalId = approvalIdOf(found);
    // The same for every repeat of this decision about this review, so it is executed once.
    const requestId = deterministicId('decision', approvalId, sha256(canonicalJson(body)));
    // Not executed again: the review may begin again meanwhile, and would be resolved by one operator.
    if (found.resolution !== undefined) return this.repeated(found, body);
    const subject = { kind: 'review', id, since: found.since } as const;
    const decision = { ...body };
    const { approved, proposedBy, confirmedBy } = await this.fourEyes.approve(input, {
      approvalId,
      subject,
      decision,
      amount: formatMoney(amount),
    });
    if (!approved) return new ApiResponse(await this.read(id), { status: 202 });
    const decidedBy = { fourEyesAmount, proposedBy, confirmedBy, approvalId };
    await this.commands.execute(input, command(requestId, decidedBy));
    return this.read(id);
  }

  private async repeated(found: ReviewView, { outcome, invoiceId }: Decision): Promise<ResponseOf<typeof review>> {
    const { resolution } = found;
    const isSame =
      resolution?.outcome === outcome && (found.kind !== 'deposit' || found.resolution?.invoiceId === invoiceId);
    if (isSame) return this.read(found.id);
    const message = `Review ${found.id} was resolved as ${resolution?.outcome} already: a decision cannot be changed.`;
    throw new ApiError('idempotency_conflict', message);
  }

  private async read(id: string) {
    const found = await this.find(id);
    return withProposal(found, await this.approvals.find(approvalIdOf(found)));
  }

  private async find(id: string): Promise<ReviewView> {
    return mustBeFound(await this.queries.find(id), 'review', id);
  }
}

/** An invoice or a deposit can be reviewed several times: each review is decided separately. */
function approvalIdOf({ id, since }: ReviewView): string {
  return deterministicId('review', id, since);
}

/** A resolved review shows its proposal only if that was the decision. */
function withProposal(review: ReviewView, approval: ApprovalView | undefined) {
  const isShown =
    approval?.status === 'confirmed' || (approval?.status === 'proposed' && review.resolution === undefined);
  return approval !== undefined && isShown ? { ...review, proposal: proposalBody(approval) } : review;
}
