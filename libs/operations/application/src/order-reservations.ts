import { COMMAND_BUS, type CommandBus, type CommandReply, type MessageHeaders } from '@florin/event-sourcing';
import { assert, randomId } from '@florin/kernel';
import type {
  AccountRefusal,
  CreateReservation,
  FindReservation,
  FoundReservation,
  Quota,
} from '@florin/ledger-domain';
import type { Order, PricedType, RequestRefusal } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { noCacheMs, Operations } from './aggregates';

type ReservationRefusal = Extract<AccountRefusal, RequestRefusal>;

/** For a repeat, `answer` is the order in the reservation, or null if the ledger no longer has it. */
type LedgerReply = CommandReply<Order | null, ReservationRefusal | 'reservation_outdated'>;

const descriptions: Readonly<Record<PricedType, string>> = {
  issue: 'Card issue',
  topup: 'Card top-up',
  service: 'Service',
};

/**
 * The reservations that precede their operations: an order is accepted once the reservation that carries it is stored, and
 * the operation follows from it. The rules for the events are in the domain's order-reservation.ts.
 */
@Injectable()
export class OrderReservations {
  constructor(
    private readonly operations: Operations,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
  ) {}

  /** Reserves the funds of an order. If the id already has a reservation, returns the order in it. */
  async create(
    order: Order,
    quota: Quota | undefined,
    headers: MessageHeaders,
  ): Promise<CommandReply<Order, ReservationRefusal>> {
    const reply = await this.bus.request<LedgerReply>({
      context: 'ledger',
      key: order.accountId,
      id: randomId(),
      command: createReservation(order, quota),
      headers,
    });
    if (!reply.ok) {
      const { refused, message } = reply.refusal;
      // Nothing is reserved, and a client cannot fix it. A repeat of the request gets a new time.
      if (refused === 'reservation_outdated') throw new Error(message);
      return { ok: false, refusal: { refused, message } };
    }
    const { repeated, answer } = reply;
    return { ok: true, repeated, answer: repeated ? (answer ?? (await this.orderOf(order))) : order };
  }

  /** The order that was accepted under this id, if any. Until the operation is queued, only the ledger has it. */
  async find(
    { accountId, operationId }: Pick<Order, 'accountId' | 'operationId'>,
    headers: MessageHeaders,
  ): Promise<Order | undefined> {
    const command: FindReservation = { type: 'FindReservation', data: { accountId, reservationId: operationId } };
    const message = { context: 'ledger', key: accountId, id: randomId(), command, headers };
    const { answer: found } = await this.bus.request<{ readonly answer: FoundReservation }>(message);
    if (found.status === 'unknown') return undefined;
    return (found.order as Order | null) ?? this.orderOf({ operationId });
  }

  /**
   * The ledger keeps the orders of the newest open reservations only; the others are usually queued by then. If not, the request
   * fails and can be repeated: before the process has queued the operation, there is no order to compare the request with.
   */
  private async orderOf({ operationId }: Pick<Order, 'operationId'>): Promise<Order> {
    const order = await this.operations.read(operationId, noCacheMs, (state) => state.order);
    assert(order !== undefined, () => `reservation ${operationId} exists, and its operation is not queued yet`);
    return order;
  }
}

function createReservation(order: Order, quota: Quota | undefined): CreateReservation {
  const { operationId, accountId, total, fee, type, fingerprint, createdAt } = order;
  assert(type !== 'unload', () => `the funds of unload ${operationId} are on the card`);
  return {
    type: 'CreateReservation',
    data: {
      accountId,
      reservationId: operationId,
      reference: operationId,
      amount: total,
      fee,
      description: descriptions[type],
      fingerprint,
      order: { ...order },
      quota,
      requestedAt: createdAt,
    },
  };
}
