import { CLOCK, type CommandContext, type CommandReply, type MessageHeaders } from '@florin/event-sourcing';
import { type Clock, deterministicId, idempotencyConflict } from '@florin/kernel';
import type { Quota } from '@florin/ledger-domain';
import type { CheckRefusal, Order, PricedRequest, RequestOperation, RequestRefusal } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { type LedgerReply, type NewReservation, OrderReservations } from './order-reservations';
import { RequestChecks } from './request-checks';
import { UnloadReservations } from './unload-reservations';

type Request = RequestOperation['data'];
type Reply = CommandReply<Order, RequestRefusal>;

/** The reply to a request that needs no reservation, or what to reserve. */
export type CheckedOrder = { readonly reply: Reply } | NewReservation;

/** With these, no request with this key can have been accepted: its holder or card never existed, or the key is taken. */
const finalRefusals: ReadonlySet<CheckRefusal> = new Set(['not_found', 'idempotency_conflict']);

/**
 * A request is accepted once the reservation of its funds is stored, for an unload that on the card; a process then queues its
 * order as an operation.
 */
@Injectable()
export class RequestOperationHandler {
  constructor(
    private readonly checks: RequestChecks,
    private readonly reservations: OrderReservations,
    private readonly unloads: UnloadReservations,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  execute({ data }: RequestOperation, { headers }: CommandContext): Promise<Reply> {
    return this.request(data, headers);
  }

  async request(request: Request, headers: MessageHeaders): Promise<Reply> {
    const checked = await this.check(request, headers);
    return 'reply' in checked ? checked.reply : this.reserve(checked, headers);
  }

  async check(request: Request, headers: MessageHeaders): Promise<CheckedOrder> {
    const checked = await this.checks.check(request);
    if ('repeated' in checked) return { reply: { ok: true, repeated: true, answer: checked.repeated } };
    if ('refused' in checked) {
      // An accepted request stays accepted, even if a new one would be rejected now.
      const accepted = finalRefusals.has(checked.refused) ? undefined : await this.find(request, headers);
      return { reply: accepted === undefined ? { ok: false, refusal: checked } : replyWith(accepted, request, true) };
    }
    const order = orderOf(request, checked, this.clock.now());
    return { order, quota: this.quotaOf(request, order) };
  }

  /** `reserved` is the reply of the ledger, if it has reserved the funds together with others. */
  async reserve(reservation: NewReservation, headers: MessageHeaders, reserved?: LedgerReply): Promise<Reply> {
    const { order } = reservation;
    const reply = await (reserved === undefined
      ? this.create(reservation, headers)
      : this.reservations.replyTo(order, reserved));
    return reply.ok ? replyWith(reply.answer, order, reply.repeated) : reply;
  }

  private async create(reservation: NewReservation, headers: MessageHeaders): Promise<Reply> {
    const { order } = reservation;
    if (order.type !== 'unload') return this.reservations.create(reservation, headers);
    // The card does not know the reservations of the account.
    const other = await this.reservations.find(order, headers);
    return other === undefined ? this.unloads.create(order, headers) : { ok: true, repeated: true, answer: other };
  }

  private find(request: Request, headers: MessageHeaders): Promise<Order | undefined> {
    return request.type === 'unload' ? this.unloads.find(request) : this.reservations.find(request, headers);
  }

  /** Cards per calendar month (UTC), only for companies of the kind individual. */
  private quotaOf({ type, companyKind }: Request, { createdAt }: Order): Quota | undefined {
    if (type !== 'issue' || companyKind !== 'individual') return undefined;
    return { name: `issue ${createdAt.slice(0, 7)}`, limit: this.options.maxIssuesPerMonth ?? 500 };
  }
}

/** The order accepted under the key of a request may belong to a different request. */
function replyWith(accepted: Order, { fingerprint }: Pick<Request, 'fingerprint'>, repeated: boolean): Reply {
  if (accepted.fingerprint === fingerprint) return { ok: true, repeated, answer: accepted };
  return { ok: false, refusal: idempotencyConflict() };
}

/** A card without a name gets the name of its product. */
function orderOf(request: Request, { quote, productId, product }: PricedRequest, now: Date): Order {
  const { operationId, companyId, environment, accountId, type, amount, fingerprint } = request;
  const { holderId, cardId, name, recipient, metadata } = request;
  return {
    operationId,
    companyId,
    environment,
    accountId,
    type,
    productId,
    amount,
    fee: quote.fee,
    total: quote.total,
    holderId,
    cardId: type === 'issue' ? deterministicId('card', operationId) : cardId,
    name: type === 'issue' ? (name ?? product?.name) : undefined,
    recipient,
    metadata,
    fingerprint,
    createdAt: now.toISOString(),
  };
}
