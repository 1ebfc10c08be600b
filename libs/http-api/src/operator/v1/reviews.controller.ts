import { ReviewQueries, type ReviewView } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { OperatorEndpoint, type OperatorIdInput, type OperatorInput, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { idParams } from '../../schemas';
import { ReviewDecisions } from './review-decisions';
import { resolution, review } from './review-schemas';

const tag = 'Reviews';
const pages = z.strictObject(pageQuery);
const reviews = pageOf(review);

@Controller()
export class ReviewsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: ReviewQueries,
    private readonly decisions: ReviewDecisions,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/reviews',
    tag,
    role: 'viewer',
    summary: 'List reviews',
    description:
      'Returns operations whose outcome is unknown and whose funds stay reserved until you decide, invoices that were paid ' +
      'late or could not be credited, and unmatched deposits that may be meant for an invoice.',
    query: pages,
    response: { status: 200, description: 'A page of reviews, newest first.', schema: reviews },
  })
  list(input: OperatorInput<undefined, typeof pages>): Promise<ResponseOf<typeof reviews>> {
    return this.cursors.readPage(input, byCreation, (_filters, page) => this.queries.list(page));
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/reviews/:id/resolve',
    tag,
    role: 'finance',
    summary: 'Resolve a review',
    description:
      'Find out what happened before you decide: a decision cannot be undone. Repeating it changes nothing, and a different ' +
      'decision returns 409. To complete a live issue, send `last4` unless a callback has reported it. To complete a ' +
      'deposit, send the `invoiceId` of the invoice that it pays.',
    params: idParams,
    body: resolution,
    response: { status: 200, description: 'The resolved review.', schema: review },
    errors: ['idempotency_conflict'],
  })
  async resolve(input: OperatorIdInput<typeof resolution>): Promise<ResponseOf<typeof review>> {
    const { id } = input.params;
    await this.commands.execute(input, await this.decisions.commandFor(await this.find(id), input.body));
    return await this.find(id);
  }

  private async find(id: string): Promise<ReviewView> {
    return mustBeFound(await this.queries.find(id), 'review', id);
  }
}
