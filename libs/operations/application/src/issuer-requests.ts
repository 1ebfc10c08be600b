import { assert } from '@florin/kernel';
import {
  type CardState,
  HOLDER_VAULT,
  type HolderDirectory,
  type HolderVault,
  type OperationFailure,
  type Order,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Cards, noCacheMs, Holders } from './aggregates';
import type { Issuer, IssuerRequest } from './issuer.port';

export type PreparedRequest = { readonly request: IssuerRequest } | { readonly failure: OperationFailure };

/**
 * Builds the request to the issuer. The card or the holder may have changed since the order was accepted, so both are
 * checked again: this is the last chance to decline.
 */
@Injectable()
export class IssuerRequests {
  constructor(
    private readonly cards: Cards,
    private readonly holders: Holders,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
  ) {}

  async prepare(order: Order, { needsHolder }: Pick<Issuer, 'needsHolder'>): Promise<PreparedRequest> {
    switch (order.type) {
      case 'issue':
        return this.prepareIssue(order, needsHolder);
      case 'topup':
        return this.prepareTopup(order);
      case 'service':
        return { request: { recipient: order.recipient, ...facts(order) } };
    }
  }

  private async prepareIssue(order: Order, needsHolder: boolean): Promise<PreparedRequest> {
    const { accountId, holderId, cardId, name } = order;
    assert(holderId !== undefined, () => `operation ${order.operationId} has no holder`);
    const sealed = await this.holders.read(accountId, noCacheMs, (directory) => sealedIfActive(directory, holderId));
    if (sealed === undefined) return declined('holder_not_active', 'The holder was no longer active');
    if (!needsHolder) return { request: { cardId, name, ...facts(order) } };
    const person = await this.vault.unseal(holderId, sealed);
    if (person === undefined) return declined('holder_not_active', 'The holder was no longer active');
    const holder = { holderId, name: person.name, email: person.email };
    return { request: { cardId, name, holder, ...facts(order) } };
  }

  private async prepareTopup(order: Order): Promise<PreparedRequest> {
    const { cardId } = order;
    assert(cardId !== undefined, () => `operation ${order.operationId} has no card`);
    const card = await this.cards.read(cardId, noCacheMs, referenceIfActive);
    if (card === undefined) return declined('card_not_active', 'The card was no longer active');
    return { request: { cardId, cardReference: card.cardReference, ...facts(order) } };
  }
}

function facts({ operationId, type, companyId, productId, amount }: Order): IssuerRequest {
  return { operationId, type, companyId, productId, amount, currency: 'USD' };
}

function sealedIfActive({ holders }: HolderDirectory, holderId: string): string | undefined {
  const holder = holders.get(holderId);
  return holder?.status === 'active' ? holder.registered.sealed : undefined;
}

function referenceIfActive(card: CardState): { readonly cardReference?: string } | undefined {
  return card?.status === 'active' ? { cardReference: card.issued.cardReference } : undefined;
}

function declined(code: string, why: string): PreparedRequest {
  return { failure: { code, message: `${why} when the issuer was about to be called; the funds were released` } };
}
