import { CLOCK } from '@florin/event-sourcing';
import { type Clock, type Json, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardAnswer, CardCommand } from '@florin/operations-domain';
import { CardQueries } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../../commands';
import { ApiResponse, type IdInput, type RequestOrigin, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import type { card } from './card-schemas';
import { cardBody } from './card-schemas';

/** What a row of `accepted_requests` has about a status change. */
type StoredReply = Pick<CardAnswer, 'status' | 'balance'> & Partial<Pick<CardAnswer, 'available' | 'updatedAt'>>;

type CardRequest = RequestOrigin & Pick<IdInput, 'caller' | 'params' | 'idempotency'>;

/** The commands of clients that have an id and a time. */
type ClientCommand = Extract<CardCommand, { data: { accountId: string; requestId: string } }>;
type FactsOf<Type extends ClientCommand['type']> = Omit<
  Extract<ClientCommand, { type: Type }>['data'],
  'cardId' | 'accountId' | 'requestId' | 'requestedAt'
>;

/** Sends a command about the card in the path, and returns the changed card. */
@Injectable()
export class CardChanges {
  constructor(
    private readonly commands: Commands,
    private readonly queries: CardQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async change<Type extends ClientCommand['type']>(
    input: CardRequest,
    type: Type,
    facts: FactsOf<Type>,
  ): Promise<ResponseOf<typeof card>> {
    const { params, caller, idempotency } = input;
    const key = accountIdOf(caller.companyId, caller.environment);
    const id = idempotency?.commandId ?? randomId();
    const requestedAt = this.clock.now().toISOString();
    const command = { type, data: { cardId: params.id, accountId: key, requestId: id, requestedAt, ...facts } };
    const replyAgain = (stored: Json) => this.cardAfter(input, stored as unknown as StoredReply);
    const { answer, repeated } = await this.commands.execute<CardAnswer>(input, {
      ...{ context: 'operations', key, id, command, remembered: { replyAgain } },
    });
    return new ApiResponse(cardBody({ ...answer, updatedAt: answer.updatedAt ?? requestedAt }), { replayed: repeated });
  }

  /** The card right after an earlier change. Rows of the first release have no `available`: it was called `balance`. */
  private async cardAfter({ caller, params }: CardRequest, stored: StoredReply): Promise<CardAnswer> {
    const { id: cardId, ...facts } = mustBeFound(await this.queries.find(caller, params.id), 'card', params.id);
    return { ...facts, cardId, available: stored.balance, ...stored };
  }
}
