import {
  CLOCK,
  COMMAND_BUS,
  type CommandBus,
  type CommandContext,
  type CommandReply,
  type MessageHeaders,
} from '@florin/event-sourcing';
import { assert, type Clock, deterministicId, randomId, type Refusal, refuse } from '@florin/kernel';
import type { AccountRefusal, Quota, ReservationView, ReserveFunds, ShowReservation } from '@florin/ledger-domain';
import type {
  CheckRefusal,
  OperationOrder,
  OperationType,
  Product,
  Quote,
  RequestAnswer,
  RequestOperation,
  RequestRefusal,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { freshMs, Operations } from './aggregates';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { RequestChecks } from './request-checks';

type Request = RequestOperation['data'];

interface Agreed {
  readonly quote: Quote;
  readonly product: Product;
}

type HoldRefusal = Extract<AccountRefusal, RequestRefusal> | 'reservation_outdated';

/** Of an open hold that stands already the ledger gives the purpose back, which is the order that it was taken for. */
type HoldReply = CommandReply<OperationOrder | null, HoldRefusal>;

const descriptions: Readonly<Record<OperationType, string>> = {
  issue: 'Card issue',
  topup: 'Card top-up',
  service: 'Service',
};

/** What is not there never was, and is told before what conflicts; a conflict is with an operation that is queued. */
const alwaysRefused: ReadonlySet<CheckRefusal> = new Set(['not_found', 'idempotency_conflict']);

/**
 * A client asks for an operation. It is accepted once the hold of its funds is stored, which carries the whole order: the
 * process finds it there, and queues the operation. Whoever repeats the request before that is answered out of the hold.
 */
@Injectable()
export class RequestOperationHandler {
  constructor(
    @Inject(RequestChecks) private readonly checks: RequestChecks,
    @Inject(Operations) private readonly operations: Operations,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  async execute(
    { data }: RequestOperation,
    { headers }: CommandContext,
  ): Promise<CommandReply<RequestAnswer, RequestRefusal>> {
    const checked = await this.checks.check(data);
    if ('refused' in checked) return this.unlessAcceptedBefore(checked, data, headers);
    if ('repeated' in checked) return { ok: true, repeated: true, answer: answerOf(checked.repeated) };

    const order = orderOf(data, checked, this.clock.now());
    const held = await this.holdFunds(order, this.quotaOf(data, order), headers);
    if (!held.ok) return this.refused(held);

    // Where the hold had been taken before, by a repeat that was faster or has crashed since, the order inside it stands.
    const isForgotten = held.repeated && held.answer === null;
    const standing = isForgotten ? await this.orderOfOlderHold(order.operationId) : (held.answer ?? order);
    return replyOf(standing, data, held.repeated);
  }

  /**
   * What was accepted stays so, whatever has changed since that would be refused now. Until the operation is queued, only
   * the ledger knows that it was.
   */
  private async unlessAcceptedBefore(
    refusal: Refusal<CheckRefusal>,
    data: Request,
    headers: MessageHeaders,
  ): Promise<CommandReply<RequestAnswer, RequestRefusal>> {
    const { accountId, operationId } = data;
    if (alwaysRefused.has(refusal.refused)) return { ok: false, refusal };
    const command: ShowReservation = { type: 'ShowReservation', data: { accountId, reservationId: operationId } };
    const message = { context: 'ledger', key: accountId, id: randomId(), command, headers };
    const { answer: hold } = await this.bus.request<{ readonly answer: ReservationView }>(message);
    if (hold.status === 'unknown') return { ok: false, refusal };
    const standing = hold.purpose as OperationOrder | null;
    return replyOf(standing ?? (await this.orderOfOlderHold(operationId)), data, true);
  }

  private holdFunds(order: OperationOrder, quota: Quota | undefined, headers: MessageHeaders): Promise<HoldReply> {
    const { operationId, accountId, total, type, fingerprint } = order;
    const command: ReserveFunds = {
      type: 'ReserveFunds',
      data: {
        accountId,
        reservationId: operationId,
        reference: operationId,
        amount: total,
        description: descriptions[type],
        fingerprint,
        purpose: { ...order },
        quota,
        requestedAt: order.createdAt,
      },
    };
    return this.bus.request({ context: 'ledger', key: accountId, id: randomId(), command, headers });
  }

  /** To be late is nothing that a client could mend: nothing is held, and a repeat of the request has a time of its own. */
  private refused(held: Extract<HoldReply, { ok: false }>): CommandReply<RequestAnswer, RequestRefusal> {
    const { refused, message } = held.refusal;
    if (refused === 'reservation_outdated') throw new Error(message);
    return { ok: false, refusal: { refused, message } };
  }

  /** Only individually verified companies have one. It counts by the month in which the operation was asked for. */
  private quotaOf({ type, companyKind }: Request, { createdAt }: OperationOrder): Quota | undefined {
    if (type !== 'issue' || companyKind !== 'individual') return undefined;
    return { name: `issue ${createdAt.slice(0, 7)}`, limit: this.options.issuesPerMonth ?? 500 };
  }

  /**
   * The ledger forgets what closed and older holds were for; by then their operations have mostly been queued. Where one
   * has not, the process still has to do it, and nobody can tell before whether this is the same request.
   */
  private async orderOfOlderHold(operationId: string): Promise<OperationOrder> {
    const order = await this.operations.read(operationId, freshMs, (state) => state.order);
    assert(order !== undefined, () => `the hold ${operationId} is not new, and its operation is not queued yet`);
    return order;
  }
}

/** The order that stands under the key of a request is its own, or that of another one. */
function replyOf(
  standing: OperationOrder,
  { fingerprint }: Request,
  repeated: boolean,
): CommandReply<RequestAnswer, RequestRefusal> {
  if (standing.fingerprint === fingerprint) return { ok: true, repeated, answer: answerOf(standing) };
  const message = 'This key was used before for another request: repeat that one unchanged, or use a new key';
  return { ok: false, refusal: refuse('idempotency_conflict', message) };
}

/** A card without a name of its own is called after its product. */
function orderOf(request: Request, { quote, product }: Agreed, now: Date): OperationOrder {
  const { operationId, companyId, environment, accountId, type, productId, amount, fingerprint } = request;
  const { holderId, cardId, name, recipient } = request;
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
    name: type === 'issue' ? (name ?? product.name) : undefined,
    recipient,
    fingerprint,
    createdAt: now.toISOString(),
  };
}

function answerOf({ operationId, type, amount, fee, total, createdAt }: OperationOrder): RequestAnswer {
  return { operationId, type, amount, fee, total, createdAt };
}
