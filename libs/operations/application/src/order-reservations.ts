import { COMMAND_BUS, type CommandBus, type CommandReply, type MessageHeaders } from '@florin/event-sourcing';
import { assert, randomId } from '@florin/kernel';
import type {
  AccountRefusal,
  CreateReservation,
  CreateReservations,
  FindReservation,
  FoundReservation,
  Quota,
} from '@florin/ledger-domain';
import type { Order, PricedType, RequestRefusal } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { noCacheMs, Operations } from './aggregates';

type ReservationRefusal = Extract<AccountRefusal, RequestRefusal>;

/** For a repeat, `answer` is the order in the reservation, or null if the ledger no longer has it. */
export type LedgerReply = CommandReply<Order | null, ReservationRefusal | 'reservation_outdated'>;

/** An order whose funds are to be reserved. */
export interface NewReservation {
  readonly order: Order;
  readonly quota: Quota | undefined;
}

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
    { order, quota }: NewReservation,
    headers: MessageHeaders,
  ): Promise<CommandReply<Order, ReservationRefusal>> {
    const { accountId } = order;
    const data = { accountId, ...reservationOf(order, quota) };
    const command: CreateReservation = { type: 'CreateReservation', data };
    return this.replyTo(order, await this.ask<LedgerReply>(accountId, command, headers));
  }

  /** Reserves the funds of several orders of one account with one command. `replyTo` converts the reply to each. */
  async createAll(
    reservations: readonly NewReservation[],
    headers: MessageHeaders,
  ): Promise<ReadonlyMap<NewReservation, LedgerReply>> {
    const [first] = reservations;
    if (first === undefined) return new Map();
    const { accountId } = first.order;
    const data = { accountId, reservations: reservations.map(({ order, quota }) => reservationOf(order, quota)) };
    const command: CreateReservations = { type: 'CreateReservations', data };
    const { answer } = await this.ask<{ readonly answer: readonly LedgerReply[] }>(accountId, command, headers);
    return new Map(reservations.map((reservation, index) => [reservation, answer[index]!]));
  }

  async replyTo(order: Order, reply: LedgerReply): Promise<CommandReply<Order, ReservationRefusal>> {
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
    const { answer: found } = await this.ask<{ readonly answer: FoundReservation }>(accountId, command, headers);
    if (found.status === 'unknown') return undefined;
    return (found.order as Order | null) ?? this.orderOf({ operationId });
  }

  private ask<Reply>(
    accountId: string,
    command: CreateReservation | CreateReservations | FindReservation,
    headers: MessageHeaders,
  ): Promise<Reply> {
    return this.bus.request<Reply>({ context: 'ledger', key: accountId, id: randomId(), command, headers });
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

function reservationOf(order: Order, quota: Quota | undefined): Omit<CreateReservation['data'], 'accountId'> {
  const { operationId, total, fee, type, fingerprint, createdAt } = order;
  assert(type !== 'unload', () => `the funds of unload ${operationId} are on the card`);
  return {
    reservationId: operationId,
    reference: operationId,
    amount: total,
    fee,
    description: descriptions[type],
    fingerprint,
    order: { ...order },
    quota,
    requestedAt: createdAt,
  };
}
