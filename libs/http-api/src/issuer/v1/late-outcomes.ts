import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId, isUuid } from '@florin/kernel';
import type { IssuerResponse, NoteLateResponse } from '@florin/operations-domain';
import { OperationQueries } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import { notFound } from '../../errors/api-error';
import type { RequestOrigin } from '../../input';
import type { OperationCallback } from './callback-schemas';

/** Outcomes that the issuer tells afterwards. They are noted for the operator who decides, and move nothing. */
@Injectable()
export class LateOutcomes {
  constructor(
    private readonly commands: Commands,
    private readonly operations: OperationQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async note(origin: RequestOrigin, told: OperationCallback): Promise<void> {
    const { operationId, companyId, amount } = told;
    await this.mustBeLive(companyId, operationId);
    // The same callback again is the same note.
    const noteId = deterministicId('issuer callback', canonicalJson(told));
    const notedAt = this.clock.now().toISOString();
    const command: NoteLateResponse = {
      type: 'NoteLateResponse',
      data: { operationId, noteId, companyId, amount, response: responseOf(told), notedAt },
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

function responseOf(told: OperationCallback): IssuerResponse {
  if (told.outcome === 'declined') {
    const { outcome, code, message } = told;
    return { outcome, code, message };
  }
  const { outcome, receipt, card } = told;
  return { outcome, receipt, last4: card?.last4, cardReference: card?.reference };
}
