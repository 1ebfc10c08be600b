import { type CardOwner, CardQueries } from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { notFound, validationFailed } from '../../errors/api-error';

/** Finds the card that a message of the issuer names. */
@Injectable()
export class LiveCards {
  constructor(private readonly cards: CardQueries) {}

  async find(about: {
    readonly companyId: string;
    readonly cardId?: string;
    readonly cardReference?: string;
  }): Promise<CardOwner> {
    const { companyId, cardId, cardReference } = about;
    if ((cardId === undefined) === (cardReference === undefined)) {
      throw validationFailed('Exactly one of cardId and cardReference must be given.');
    }
    const card =
      cardReference === undefined
        ? await this.cards.findAnywhere(cardId!)
        : await this.cards.findByReference(cardReference);
    if (card === undefined || card.companyId !== companyId || card.environment !== 'live') {
      throw notFound('There is no such live card of this company.');
    }
    return card;
  }
}
