import { assert } from '@florin/kernel';
import {
  type CardState,
  HOLDER_VAULT,
  type HolderDirectory,
  type HolderVault,
  type OperationFailure,
  type OperationOrder,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Cards, freshMs, Holders } from './aggregates';
import type { Issuer, IssuerOrder } from './issuer.port';

export type PreparedOrder = { readonly order: IssuerOrder } | { readonly failure: OperationFailure };

/**
 * Gathers what the issuer has to be told. Between the request and the call anything may have happened to the card or
 * the holder, so both are looked at once more: this is the last moment to refuse.
 */
@Injectable()
export class IssuerOrders {
  constructor(
    @Inject(Cards) private readonly cards: Cards,
    @Inject(Holders) private readonly holders: Holders,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
  ) {}

  async prepare(order: OperationOrder, { needsHolder }: Pick<Issuer, 'needsHolder'>): Promise<PreparedOrder> {
    switch (order.type) {
      case 'issue':
        return this.prepareIssue(order, needsHolder);
      case 'topup':
        return this.prepareTopup(order);
      case 'service':
        return { order: { recipient: order.recipient, ...facts(order) } };
    }
  }

  private async prepareIssue(order: OperationOrder, needsHolder: boolean): Promise<PreparedOrder> {
    const { accountId, holderId, cardId, name } = order;
    assert(holderId !== undefined, () => `operation ${order.operationId} issues a card to nobody`);
    const sealed = await this.holders.read(accountId, freshMs, (directory) => sealedIfActive(directory, holderId));
    if (sealed === undefined) return refused('holder_not_active', 'The holder was no longer active');
    if (!needsHolder) return { order: { cardId, name, ...facts(order) } };
    const person = await this.vault.unseal(holderId, sealed);
    if (person === undefined) return refused('holder_not_active', 'The holder was no longer active');
    const holder = { holderId, name: person.name, email: person.email };
    return { order: { cardId, name, holder, ...facts(order) } };
  }

  private async prepareTopup(order: OperationOrder): Promise<PreparedOrder> {
    const { cardId } = order;
    assert(cardId !== undefined, () => `operation ${order.operationId} tops up no card`);
    const card = await this.cards.read(cardId, freshMs, referenceIfActive);
    if (card === undefined) return refused('card_not_active', 'The card was no longer active');
    return { order: { cardId, cardReference: card.cardReference, ...facts(order) } };
  }
}

function facts({ operationId, type, companyId, productId, amount }: OperationOrder): IssuerOrder {
  return { operationId, type, companyId, productId, amount, currency: 'USD' };
}

function sealedIfActive({ holders }: HolderDirectory, holderId: string): string | undefined {
  const holder = holders.get(holderId);
  return holder?.status === 'active' ? holder.registered.sealed : undefined;
}

function referenceIfActive(card: CardState): { readonly cardReference?: string } | undefined {
  return card?.status === 'active' ? { cardReference: card.issued.cardReference } : undefined;
}

function refused(code: string, why: string): PreparedOrder {
  return { failure: { code, message: `${why} when the operation's turn came; the funds were released` } };
}
