import { randomId } from '@florin/kernel';
import type { ResolveReview } from '@florin/operations-domain';
import { OperationQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type AnswerOf, answer } from '../../answer';
import { Commands } from '../../commands';
import { Cursors } from '../../cursors/cursors';
import { OperatorEndpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { OperatorInput } from '../../input';
import { byCreation, pageOf, pageQuery, readPage } from '../../pages';
import { idParams } from '../../schemas';
import { resolution, review } from './review-schemas';

const tag = 'Reviews';
const pages = z.strictObject(pageQuery);
const reviews = pageOf(review);

const refusals = {
  operation_unknown: 'not_found',
  wrong_phase: 'not_found',
  review_resolved: 'idempotency_conflict',
  card_details_missing: 'validation_failed',
} as const;

@Controller()
export class ReviewsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: OperationQueries,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/reviews',
    tag,
    summary: 'List what waits for a decision',
    description: 'Operations whose outcome nobody could determine, and whose funds are held until you decide.',
    query: pages,
    answers: { status: 200, description: 'A page of reviews.', schema: reviews },
  })
  async list(input: OperatorInput<undefined, typeof pages>): Promise<AnswerOf<typeof reviews>> {
    const found = await readPage(this.cursors, input, (_filters, page) => this.queries.listReviews(page), byCreation);
    return answer(200, found);
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/reviews/:id/resolve',
    tag,
    summary: 'Decide a review',
    description:
      'Find out from the issuer what happened before you decide: it cannot be taken back. The same decision again changes ' +
      'nothing, a contrary one is 409. A live issue needs `last4` to be completed, unless a callback told it.',
    params: idParams,
    body: resolution,
    answers: { status: 200, description: 'The review, decided.', schema: review },
    errors: ['not_found', 'idempotency_conflict'],
  })
  async resolve({
    params: { id: operationId },
    body,
    ...origin
  }: OperatorInput<typeof resolution, undefined, typeof idParams>): Promise<AnswerOf<typeof review>> {
    const command: ResolveReview = { type: 'ResolveReview', data: { operationId, ...body } };
    const id = randomId();
    await this.commands.execute(origin, { context: 'operations', key: operationId, id, command, refusals });
    const resolved = await this.queries.findReview(operationId);
    if (resolved === undefined) throw notFound(`There is no review ${operationId}: check the id.`);
    return answer(200, resolved);
  }
}
