import {
  availableOn,
  type CardState,
  type CheckedRequest,
  checkRequest,
  type HolderDirectory,
  type OperationRequest,
  type OperationState,
  type RequestFacts,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { Cards, noCacheMs, Holders, Operations, Products, shortCacheMs } from './aggregates';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

/** Loads the state that a request is checked against. */
@Injectable()
export class RequestChecks {
  constructor(
    private readonly operations: Operations,
    private readonly products: Products,
    private readonly holders: Holders,
    private readonly cards: Cards,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  /**
   * Cached state is enough to accept a request, except for a card: another process may have frozen it. A rejection requires
   * the state in the store.
   */
  async check(request: OperationRequest): Promise<CheckedRequest> {
    const checked = checkRequest(request, await this.factsAbout(request, shortCacheMs));
    if (!('refused' in checked)) return checked;
    return checkRequest(request, await this.factsAbout(request, noCacheMs));
  }

  private async factsAbout(request: OperationRequest, maxAgeMs: number): Promise<RequestFacts> {
    const { type, operationId, productId, accountId, holderId, cardId } = request;
    const [known, product, holder, card] = await Promise.all([
      operationId === undefined
        ? undefined
        : this.operations.read(operationId, maxAgeMs, ({ order }: OperationState) => order),
      productId === undefined ? undefined : this.products.read(productId, maxAgeMs, ({ product: defined }) => defined),
      type === 'issue' && holderId !== undefined
        ? this.holders.read(accountId, maxAgeMs, (directory) => holderFacts(directory, holderId))
        : undefined,
      (type === 'topup' || type === 'unload') && cardId !== undefined
        ? this.cards.read(cardId, noCacheMs, cardFacts)
        : undefined,
    ]);
    return { known, product, holder, card, minimums: this.options.minimums };
  }
}

function holderFacts({ holders }: HolderDirectory, holderId: string): RequestFacts['holder'] {
  const holder = holders.get(holderId);
  return holder === undefined ? undefined : { status: holder.status };
}

function cardFacts(card: CardState): RequestFacts['card'] {
  if (card === undefined) return undefined;
  const { accountId, productId } = card.issued;
  return { accountId, productId, status: card.status, balance: card.balance, available: availableOn(card) };
}
