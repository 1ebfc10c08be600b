import type { MessageHeaders } from '@florin/event-sourcing';
import { assert, randomId } from '@florin/kernel';
import {
  type CancelTopup,
  HOLDER_VAULT,
  type HolderDirectory,
  type HolderVault,
  type OperationFailure,
  type Order,
  type PersonalData,
  sealedPerson,
  type StartTopup,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { anyCacheAgeMs, Cards, Holders, noCacheMs } from './aggregates';
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

  async prepare(
    order: Order,
    { needsHolder }: Pick<Issuer, 'needsHolder'>,
    headers: MessageHeaders,
  ): Promise<PreparedRequest> {
    switch (order.type) {
      case 'issue':
        return this.prepareIssue(order, needsHolder);
      case 'topup':
        return this.prepareTopup(order, headers);
      case 'service':
        return { request: { recipient: order.recipient, ...facts(order) } };
      case 'unload':
        return { request: await this.cardRequest(order) };
    }
  }

  private async prepareIssue(order: Order, needsHolder: boolean): Promise<PreparedRequest> {
    const { accountId, holderId, cardId, name } = order;
    assert(holderId !== undefined, () => `operation ${order.operationId} has no holder`);
    const sealed = await this.holders.read(accountId, noCacheMs, (directory) => sealedIfActive(directory, holderId));
    if (sealed === undefined) return declined('holder_not_active', 'The holder was no longer active');
    if (!needsHolder) return { request: { cardId, name, ...facts(order) } };
    const person = await this.unsealPerson(holderId, sealed);
    if (person === undefined) return declined('holder_not_active', 'The holder was no longer active');
    const holder = { holderId, name: person.name, email: person.email };
    return { request: { cardId, name, holder, ...facts(order) } };
  }

  private async unsealPerson(holderId: string, sealed: readonly string[]): Promise<PersonalData | undefined> {
    const parts = await Promise.all(sealed.map((text) => this.vault.unseal(holderId, text)));
    if (parts.includes(undefined)) return undefined;
    return Object.assign({}, ...parts) as PersonalData;
  }

  /** The card records the top-up before the issuer is called, so that it cannot be closed until the operation has ended. */
  private async prepareTopup(order: Order, headers: MessageHeaders): Promise<PreparedRequest> {
    const { operationId, cardId, amount } = order;
    assert(cardId !== undefined, () => `operation ${operationId} has no card`);
    const command: StartTopup = { type: 'StartTopup', data: { cardId, operationId, amount } };
    const reply = await this.cards.handle(cardId, command, { id: randomId(), headers });
    if (!reply.ok) return declined('card_not_active', 'The card was no longer active');
    return { request: await this.cardRequest(order) };
  }

  /** A top-up that failed in an earlier release was not canceled on its card, and must not stay started on it. */
  async withdraw({ type, operationId, cardId }: Order, headers: MessageHeaders): Promise<void> {
    if (type !== 'topup' || cardId === undefined) return;
    const command: CancelTopup = { type: 'CancelTopup', data: { cardId, operationId } };
    await this.cards.handle(cardId, command, { id: randomId(), headers });
  }

  /** The issuer's id of a card never changes. */
  private async cardRequest(order: Order): Promise<IssuerRequest> {
    const { operationId, cardId } = order;
    assert(cardId !== undefined, () => `operation ${operationId} has no card`);
    const cardReference = await this.cards.read(cardId, anyCacheAgeMs, (card) => card?.issued.cardReference);
    return { cardId, cardReference, ...facts(order) };
  }
}

function facts({ operationId, type, companyId, productId, amount }: Order): IssuerRequest {
  return { operationId, type, companyId, productId, amount, currency: 'USD' };
}

function sealedIfActive({ holders }: HolderDirectory, holderId: string): readonly string[] | undefined {
  const holder = holders.get(holderId);
  return holder?.status === 'active' ? sealedPerson(holder) : undefined;
}

function declined(code: string, why: string): PreparedRequest {
  return { failure: { code, message: `${why} when the issuer was about to be called; the funds were released` } };
}
