import type { CommandReply } from '@florin/event-sourcing';
import { refuse } from '@florin/kernel';
import type { CardState, CardStatus, RevealAnswer, RevealCard, RevealRefusal } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Cards, noCacheMs } from './aggregates';
import { type Issuer, ISSUERS, type Issuers, type RevealRequest } from './issuer.port';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

/** A person waits for the page. */
const timeoutMs = 5_000;

const revealable: readonly CardStatus[] = ['active', 'frozen'];

interface RevealedCard {
  readonly environment: keyof Issuers;
  readonly status: CardStatus;
  readonly last4: string;
  readonly request: RevealRequest;
}

/** Returns the address of a page that shows the number of a card. The number itself never reaches Florin. */
@Injectable()
export class RevealCardHandler {
  constructor(
    private readonly cards: Cards,
    @Inject(ISSUERS) private readonly issuers: Issuers,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  async execute({ data }: RevealCard): Promise<CommandReply<RevealAnswer, RevealRefusal>> {
    const { cardId, accountId } = data;
    const card = await this.cards.read(cardId, noCacheMs, (state) => revealedCard(state, accountId));
    if (card === undefined) return refused('not_found', 'There is no such card: check the card id');
    const { environment, status, last4, request } = card;
    if (!revealable.includes(status)) {
      return refused('card_not_active', `The card is ${status}: only the details of active and frozen cards are shown`);
    }
    const issuer = this.issuers[environment];
    if (issuer?.reveal === undefined) return accepted({ last4 });
    const response = await this.request(issuer as Required<Issuer>, request);
    if ('page' in response) return accepted({ last4, page: response.page });
    this.options.log.warn(
      { cardId, reason: response.failure },
      'The issuer returned no page with the details of a card',
    );
    return refused('reveal_unavailable', 'The issuer did not return a page: try again later');
  }

  private request(issuer: Required<Issuer>, request: RevealRequest) {
    return issuer.reveal(request, (this.options.abortAfter ?? AbortSignal.timeout)(timeoutMs));
  }
}

function revealedCard(card: CardState, accountId: string): RevealedCard | undefined {
  if (card?.issued.accountId !== accountId) return undefined;
  const { companyId, environment, cardId, cardReference, last4 } = card.issued;
  return { environment, status: card.status, last4, request: { companyId, cardId, cardReference } };
}

function accepted(answer: RevealAnswer): CommandReply<RevealAnswer, RevealRefusal> {
  return { ok: true, repeated: false, answer };
}

function refused(code: RevealRefusal, message: string): CommandReply<RevealAnswer, RevealRefusal> {
  return { ok: false, refusal: refuse(code, message) };
}
