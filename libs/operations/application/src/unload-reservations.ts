import type { CommandReply, MessageHeaders } from '@florin/event-sourcing';
import { assert, idempotencyConflict, randomId } from '@florin/kernel';
import type { CardState, Order, RequestRefusal, ReserveUnload } from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import { anyCacheAgeMs, Cards, noCacheMs, Operations } from './aggregates';

type UnloadRefusal = Extract<
  RequestRefusal,
  'not_found' | 'idempotency_conflict' | 'card_not_active' | 'insufficient_card_balance'
>;

const unloadRefusals: ReadonlySet<string> = new Set<UnloadRefusal>([
  'not_found',
  'idempotency_conflict',
  'card_not_active',
  'insufficient_card_balance',
]);

/** The reservations on cards that precede unloads, as those of accounts precede the other operations. */
@Injectable()
export class UnloadReservations {
  constructor(
    private readonly cards: Cards,
    private readonly operations: Operations,
  ) {}

  /** Reserves the amount on the card and returns the order with its number, or for a repeat the first order. */
  async create(order: Order, headers: MessageHeaders): Promise<CommandReply<Order, UnloadRefusal>> {
    const { operationId, accountId, cardId, amount, createdAt: requestedAt } = order;
    assert(cardId !== undefined, () => `unload ${operationId} names no card`);
    const data = { cardId, accountId, operationId, amount, order, requestedAt };
    const command: ReserveUnload = { type: 'ReserveUnload', data };
    const reply = await this.cards.handle(cardId, command, { id: randomId(), headers });
    if (reply.ok) {
      // The state that the command was decided on is in the cache.
      const accepted = await this.find(order, anyCacheAgeMs);
      assert(accepted !== undefined, () => `unload ${operationId} must exist after it is reserved`);
      if (reply.repeated) return { ok: true, repeated: true, answer: accepted };
      return this.queue({ ...order, unloadNumber: accepted.unloadNumber }, accepted, headers);
    }
    const { refused, message } = reply.refusal;
    // Nothing is reserved, and a client cannot fix it. A repeat of the request gets a new time.
    if (!isUnloadRefusal(refused)) throw new Error(message);
    return { ok: false, refusal: { refused, message } };
  }

  /**
   * Queues the operation before the response: a request with the same key that needs no card finds it then. If one was faster, the
   * process releases this unload, as it does after a crash here.
   */
  private async queue(
    order: Order,
    accepted: Order,
    headers: MessageHeaders,
  ): Promise<CommandReply<Order, UnloadRefusal>> {
    const { operationId } = order;
    const command = { type: 'QueueOperation', data: { operationId, order } } as const;
    const reply = await this.operations.handle(operationId, command, { id: randomId(), headers });
    return reply.ok ? { ok: true, repeated: false, answer: accepted } : { ok: false, refusal: idempotencyConflict() };
  }

  /** The order that was accepted under this id, if any. The card has it until the unload has ended, and then the operation. */
  async find(
    { operationId, cardId }: Pick<Order, 'operationId' | 'cardId'>,
    maxAgeMs = noCacheMs,
  ): Promise<Order | undefined> {
    assert(cardId !== undefined, () => `unload ${operationId} names no card`);
    const known = await this.cards.read(cardId, maxAgeMs, (card) => unloadOn(card, operationId));
    if (known !== 'ended') return known;
    return this.operations.read(operationId, noCacheMs, ({ order }) => order);
  }
}

function unloadOn(card: CardState, operationId: string): Order | 'ended' | undefined {
  const order = card?.unloads.reserved.get(operationId);
  return order ?? (card?.unloads.ended.accepted.has(operationId) ? 'ended' : undefined);
}

function isUnloadRefusal(refused: string): refused is UnloadRefusal {
  return unloadRefusals.has(refused);
}
