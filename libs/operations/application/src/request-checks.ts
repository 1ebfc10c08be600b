import type { HolderDirectory } from '@florin/operations-domain';
import {
  type CardState,
  type CheckedRequest,
  checkRequest,
  type OperationState,
  type RequestFacts,
  type RequestToCheck,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Cards, freshMs, Holders, Operations, Products, rememberedMs } from './aggregates';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

type Request = RequestToCheck & { readonly operationId?: string };

/** Gathers what a request has to be checked against. */
@Injectable()
export class RequestChecks {
  constructor(
    @Inject(Operations) private readonly operations: Operations,
    @Inject(Products) private readonly products: Products,
    @Inject(Holders) private readonly holders: Holders,
    @Inject(Cards) private readonly cards: Cards,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  /** What is remembered is enough to go on with; a refusal is given only on what is stored now. */
  async check(request: Request): Promise<CheckedRequest> {
    const checked = checkRequest(request, await this.factsAbout(request, rememberedMs));
    if (!('refused' in checked)) return checked;
    return checkRequest(request, await this.factsAbout(request, freshMs));
  }

  private async factsAbout(request: Request, maxAgeMs: number): Promise<RequestFacts> {
    const { type, operationId, productId, accountId, holderId, cardId } = request;
    const [known, product, holder, card] = await Promise.all([
      operationId === undefined ? undefined : this.operations.read(operationId, maxAgeMs, knownOperation),
      this.products.read(productId, maxAgeMs, ({ product: defined }) => defined),
      type === 'issue' && holderId !== undefined
        ? this.holders.read(accountId, maxAgeMs, (directory) => holderFacts(directory, holderId))
        : undefined,
      type === 'topup' && cardId !== undefined ? this.cards.read(cardId, maxAgeMs, cardFacts) : undefined,
    ]);
    return { known, product, holder, card, minimums: this.options.minimums };
  }
}

function knownOperation({ order }: OperationState): RequestFacts['known'] {
  return order === undefined ? undefined : { fingerprint: order.fingerprint, order };
}

function holderFacts({ holders }: HolderDirectory, holderId: string): RequestFacts['holder'] {
  const holder = holders.get(holderId);
  return holder === undefined ? undefined : { status: holder.status };
}

function cardFacts(card: CardState): RequestFacts['card'] {
  if (card === undefined) return undefined;
  const { accountId, productId } = card.issued;
  return { accountId, productId, status: card.status, balance: card.balance };
}
