import { deterministicId, parseMoney, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { AdjustmentQueries, type AdjustmentTerms, type AdjustmentView, CompanyQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import {
  ApiResponse,
  type IdParams,
  OperatorEndpoint,
  type OperatorIdInput,
  type OperatorInput,
  type ResponseOf,
} from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { adjustmentId, companyId, paramsOf } from '../../ids';
import { AccountAdjustments } from './account-adjustments';
import { adjustment, adjustmentRequest } from './adjustment-schemas';
import { FourEyes, operatorOf } from './four-eyes';

const tag = 'Adjustments';
const pages = z.strictObject(pageQuery);
const adjustments = pageOf('AdjustmentPage', adjustment);
const companyParams = paramsOf(companyId);
const adjustmentParams = paramsOf(adjustmentId);

type AdjustmentResponse = ResponseOf<typeof adjustment>;

@Controller()
export class AdjustmentsController {
  constructor(
    private readonly adjustments: AccountAdjustments,
    private readonly fourEyes: FourEyes,
    private readonly queries: AdjustmentQueries,
    private readonly companies: CompanyQueries,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/companies/:id/adjustments',
    operationId: 'adjustments.create',
    tag,
    role: 'finance',
    summary: 'Adjust an account',
    description:
      'Credits or debits the account of a company, with a statement entry of the kind `adjustment`. A debit cannot exceed ' +
      'the available funds. From `FOUR_EYES_AMOUNT` on, the adjustment is only proposed: a different operator confirms it.',
    params: companyParams,
    body: adjustmentRequest,
    idempotency: 'optional',
    response: { status: 201, description: 'The executed adjustment.', schema: adjustment },
    proposed: { status: 202, description: 'A proposal. A different operator must confirm it.', schema: adjustment },
    errors: ['insufficient_funds', 'idempotency_conflict', 'proposal_closed'],
  })
  async create(input: OperatorIdInput<typeof adjustmentRequest>): Promise<AdjustmentResponse> {
    const { id: companyId } = input.params;
    mustBeFound(await this.companies.find(companyId), 'company', companyId);
    const accountId = accountIdOf(companyId, input.body.environment);
    const terms: AdjustmentTerms = { companyId, accountId, ...input.body };
    const id = idOf(input);
    // Read before the adjustment: the funds that a concurrent repeat has debited are not missing.
    const shortage = await this.adjustments.shortageOf(terms);
    const known = await this.queries.find(id);
    if (known === undefined && shortage !== undefined) throw shortage;
    const fourEyes = this.fourEyes.areRequiredFor(parseMoney(terms.amount));
    // A crash can leave an adjustment that one operator decides unexecuted.
    if (known !== undefined && (fourEyes || known.status !== 'proposed')) return this.replay(known, terms);
    // Every adjustment is proposed first: the approval decides which of several requests with one key is accepted.
    await this.adjustments.approve(input, id, terms, id);
    const proposed = mustBeFound(await this.queries.find(id), 'adjustment', id);
    if (fourEyes || proposed.status === 'withdrawn') {
      return new ApiResponse(await this.adjustments.body(proposed), { status: 202 });
    }
    const proposedBy = operatorOf(input.actor);
    await this.adjustments.execute(input, id, terms, { proposedBy, requestedAt: proposed.createdAt });
    return this.adjustments.read(id);
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/adjustments/:id/confirm',
    operationId: 'adjustments.confirm',
    tag,
    role: 'finance',
    summary: 'Confirm an adjustment',
    description:
      'Executes an adjustment that a different operator has proposed. Repeat the request if you get no response: it is ' +
      'executed once. If the ledger refuses it, the proposal is withdrawn.',
    params: adjustmentParams,
    response: { status: 200, description: 'The executed adjustment.', schema: adjustment },
    errors: ['insufficient_funds', 'not_four_eyes', 'proposal_closed'],
  })
  async confirm(input: OperatorIdInput): Promise<AdjustmentResponse> {
    const { id } = input.params;
    const terms = termsOf(mustBeFound(await this.queries.find(id), 'adjustment', id));
    // Read before the status: the funds that a concurrent confirmation has debited are not missing.
    const shortage = await this.adjustments.shortageOf(terms);
    const view = mustBeFound(await this.queries.find(id), 'adjustment', id);
    if (view.status === 'completed') return view;
    if (shortage !== undefined) throw shortage;
    const { approved, proposedBy, confirmedBy } = await this.adjustments.approve(input, id, terms);
    // Refused otherwise: an adjustment is never replaced.
    if (!approved) throw new Error(`Adjustment ${id} is neither confirmed nor refused`);
    await this.adjustments.execute(input, id, terms, { proposedBy, confirmedBy, requestedAt: view.createdAt });
    return this.adjustments.read(id);
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/adjustments/:id',
    operationId: 'adjustments.get',
    tag,
    role: 'viewer',
    summary: 'Read an adjustment',
    params: adjustmentParams,
    response: { status: 200, description: 'The adjustment.', schema: adjustment },
  })
  async read(input: OperatorIdInput): Promise<AdjustmentResponse> {
    return this.adjustments.read(input.params.id);
  }

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/companies/:id/adjustments',
    operationId: 'adjustments.list',
    tag,
    role: 'viewer',
    summary: 'List the adjustments of a company',
    params: companyParams,
    query: pages,
    response: { status: 200, description: 'A page of adjustments, newest first.', schema: adjustments },
  })
  async list(input: OperatorInput<undefined, typeof pages, IdParams>): Promise<ResponseOf<typeof adjustments>> {
    const { id } = input.params;
    mustBeFound(await this.companies.find(id), 'company', id);
    // The cursor is valid for this company only.
    const ofCompany = { ...input, endpoint: `${input.endpoint} ${id}` };
    const page = await this.cursors.readPage<object, AdjustmentView>(ofCompany, byCreation, (_filters, wanted) =>
      this.queries.list(id, wanted),
    );
    return { ...page, data: await Promise.all(page.data.map((view) => this.adjustments.body(view))) };
  }

  /** The first response again. A proposal may have been confirmed or withdrawn since. */
  private async replay(known: AdjustmentView, terms: AdjustmentTerms): Promise<AdjustmentResponse> {
    const names = ['companyId', 'environment', 'direction', 'amount', 'reason'] as const;
    if (names.some((name) => known[name] !== terms[name])) {
      const message = 'This Idempotency-Key was used for another adjustment: send the same body, or use a new key.';
      throw new ApiError('idempotency_conflict', message);
    }
    const status = known.createdBy === undefined ? 202 : 201;
    return new ApiResponse(await this.adjustments.body(known), { status, replayed: true });
  }
}

/** Keys are scoped by operator, company and environment. */
function idOf({ body, idempotency }: OperatorIdInput<typeof adjustmentRequest>): string {
  return idempotency === undefined ? randomId() : deterministicId(idempotency.commandId, body.environment);
}

function termsOf({ companyId, environment, direction, amount, reason }: AdjustmentView): AdjustmentTerms {
  return { companyId, accountId: accountIdOf(companyId, environment), environment, direction, amount, reason };
}
