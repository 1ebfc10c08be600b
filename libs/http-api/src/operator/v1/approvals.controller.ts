import { ApprovalQueries, type ApprovalView } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { OperatorEndpoint, type OperatorIdInput, type OperatorInput, type ResponseOf } from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { approvalId, paramsOf } from '../../ids';
import { approval, approvalBody } from './approval-schemas';
import { FourEyes } from './four-eyes';

const tag = 'Approvals';
const pages = z.strictObject(pageQuery);
const approvals = pageOf('ApprovalPage', approval);

@Controller()
export class ApprovalsController {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly fourEyes: FourEyes,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/approvals',
    operationId: 'approvals.list',
    tag,
    role: 'viewer',
    summary: 'List pending approvals',
    description:
      'Returns the proposals that wait for the confirmation of a different operator, and confirmed decisions that are not ' +
      'executed yet. A proposal ends when its adjustment is executed or its review is resolved.',
    query: pages,
    response: { status: 200, description: 'A page of approvals, newest first.', schema: approvals },
  })
  async list(input: OperatorInput<undefined, typeof pages>): Promise<ResponseOf<typeof approvals>> {
    const page = await this.cursors.readPage<object, ApprovalView>(input, byCreation, (_filters, wanted) =>
      this.queries.listPending(wanted),
    );
    return { ...page, data: page.data.map(approvalBody) };
  }

  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/approvals/:id/withdraw',
    operationId: 'approvals.withdraw',
    tag,
    role: 'finance',
    summary: 'Withdraw a proposal',
    description:
      'Any operator can withdraw a proposal, also a confirmed one, until it is executed. A withdrawn adjustment cannot be ' +
      'confirmed. An execution that has begun can still succeed: then the adjustment is `completed`.',
    params: paramsOf(approvalId),
    response: { status: 200, description: 'The withdrawn proposal.', schema: approval },
    errors: ['proposal_closed'],
  })
  async withdraw(input: OperatorIdInput): Promise<ResponseOf<typeof approval>> {
    const { id } = input.params;
    const { status } = mustBeFound(await this.queries.find(id), 'approval', id);
    if (status !== 'withdrawn' && !(await this.queries.isPending(id))) {
      const message = `The decision ${id} was executed already: correct it with another adjustment.`;
      throw new ApiError('proposal_closed', message);
    }
    await this.fourEyes.withdraw(input, id);
    return approvalBody(mustBeFound(await this.queries.find(id), 'approval', id));
  }
}
