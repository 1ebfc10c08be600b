import { CLOCK } from '@florin/event-sourcing';
import { type Clock, deterministicId } from '@florin/kernel';
import type { ReportCardStatus } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import type { RequestOrigin } from '../../endpoint';
import type { CardCallback } from './callback-schemas';
import { LiveCards } from './live-cards';

/** A closed or expired card stays as it is. */
const refusals = { card_not_active: 'idempotency_conflict' } as const;

/** Records that the issuer has activated, blocked or expired a card. */
@Injectable()
export class ReportedStatuses {
  constructor(
    private readonly commands: Commands,
    private readonly cards: LiveCards,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async record(origin: RequestOrigin, report: CardCallback): Promise<void> {
    const { cardId, accountId } = await this.cards.find(report);
    const { status, occurredAt } = report;
    const id = deterministicId('issuer status', cardId, status, occurredAt);
    const requestedAt = this.clock.now().toISOString();
    const command: ReportCardStatus = {
      type: 'ReportCardStatus',
      data: { cardId, accountId, status, requestId: id, requestedAt, occurredAt },
    };
    await this.commands.execute(origin, { context: 'operations', key: accountId, id, command, refusals });
  }
}
