import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId, isUuid } from '@florin/kernel';
import type { IssuerResponse, NoteLateResponse } from '@florin/operations-domain';
import { OperationQueries } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { OperationCallback } from './callback-schemas';

/** Records outcomes that the issuer reports later. They inform the operator who decides, and move no funds. */
@Injectable()
export class LateOutcomes {
  constructor(
    private readonly commands: Commands,
    private readonly operations: OperationQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async record(origin: RequestOrigin, report: OperationCallback): Promise<void> {
    const { operationId, companyId, amount } = report;
    await this.mustBeLive(companyId, operationId);
    // A repeated callback has the same id.
    const noteId = deterministicId('issuer callback', canonicalJson(report));
    const notedAt = this.clock.now().toISOString();
    const command: NoteLateResponse = {
      type: 'NoteLateResponse',
      data: { operationId, noteId, companyId, amount, response: responseOf(report), notedAt },
    };
    const refusals = { operation_unknown: 'not_found' } as const;
    await this.commands.execute(origin, { context: 'operations', key: operationId, id: noteId, command, refusals });
  }

  private async mustBeLive(companyId: string, operationId: string): Promise<void> {
    const known = isUuid(companyId) && isUuid(operationId);
    const found = known && (await this.operations.find({ companyId, environment: 'live' }, operationId));
    if (!found) throw notFound('There is no such live operation of this company.');
  }
}

function responseOf(report: OperationCallback): IssuerResponse {
  if (report.outcome === 'declined') {
    const { outcome, code, message } = report;
    return { outcome, code, message };
  }
  const { outcome, receipt, card } = report;
  return { outcome, receipt, last4: card?.last4, cardReference: card?.reference, cardStatus: card?.status };
}
