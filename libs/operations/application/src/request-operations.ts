import type { CommandContext, CommandReply, MessageHeaders } from '@florin/event-sourcing';
import { type BulkRequestRefusal, type Order, type RequestOperations, requestsIn } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { type NewReservation, OrderReservations } from './order-reservations';
import { type CheckedOrder, RequestOperationHandler } from './request-operation';

type Request = ReturnType<typeof requestsIn>[number];
type Reply = CommandReply<Order, BulkRequestRefusal>;
type Outcomes = ReadonlyMap<Request, PromiseSettledResult<Reply>>;

/**
 * Requests of one account: each is checked as if it were sent alone, and one command reserves the funds of all that pass. After
 * a crash the client repeats all of them, and those that were accepted are recognized one by one.
 */
@Injectable()
export class RequestOperationsHandler {
  constructor(
    private readonly requests: RequestOperationHandler,
    private readonly reservations: OrderReservations,
    @Inject(OPERATIONS_OPTIONS) private readonly options: Pick<OperationsOptions, 'log'>,
  ) {}

  async execute(
    command: RequestOperations,
    { headers }: CommandContext,
  ): Promise<CommandReply<readonly Reply[], never>> {
    const requests = requestsIn(command);
    const isUnload = ({ type }: Request): boolean => type === 'unload';
    const reserved = await this.reserveAll(
      requests.filter((request) => !isUnload(request)),
      headers,
    );
    const unloaded = await this.unloadAll(requests.filter(isUnload), headers);
    const outcomes = requests.map((request) => (reserved.get(request) ?? unloaded.get(request))!);
    return { ok: true, repeated: false, answer: this.repliesTo(requests, outcomes) };
  }

  private async reserveAll(requests: readonly Request[], headers: MessageHeaders): Promise<Outcomes> {
    const checks = await Promise.allSettled(requests.map((request) => this.requests.check(request, headers)));
    const reserved = await this.reservations.createAll(checks.flatMap(toReserve), headers);
    const outcomes = await Promise.allSettled(
      checks.map(async (check) => {
        if (check.status === 'rejected') throw check.reason as Error;
        if ('reply' in check.value) return check.value.reply;
        return this.requests.reserve(check.value, headers, reserved.get(check.value));
      }),
    );
    return new Map(requests.map((request, index) => [request, outcomes[index]!]));
  }

  /** The funds of unloads are on cards. Those of one card are requested one after the other, because each leaves less on it. */
  private async unloadAll(requests: readonly Request[], headers: MessageHeaders): Promise<Outcomes> {
    const outcomes = new Map<Request, PromiseSettledResult<Reply>>();
    const cards = [...new Set(requests.map(({ cardId }) => cardId))];
    await Promise.all(
      cards.map(async (card) => {
        for (const request of requests.filter(({ cardId }) => cardId === card)) {
          const [outcome] = await Promise.allSettled([this.requests.request(request, headers)]);
          outcomes.set(request, outcome);
        }
      }),
    );
    return outcomes;
  }

  /** One request must not withhold the replies to others. If all have failed, the bus decides whether to retry the command. */
  private repliesTo(requests: readonly Request[], outcomes: readonly PromiseSettledResult<Reply>[]): readonly Reply[] {
    const [first] = outcomes;
    if (first?.status === 'rejected' && outcomes.every(({ status }) => status === 'rejected')) {
      throw first.reason as Error;
    }
    return outcomes.map((outcome, index) => {
      if (outcome.status === 'fulfilled') return outcome.value;
      const { operationId } = requests[index]!;
      this.options.log.warn({ operationId, err: outcome.reason as unknown }, 'A request of a bulk request failed');
      return { ok: false, refusal: { refused: 'unavailable', message: failed } };
    });
  }
}

function toReserve(check: PromiseSettledResult<CheckedOrder>): readonly NewReservation[] {
  return check.status === 'rejected' || 'reply' in check.value ? [] : [check.value];
}

const failed = 'The operation could not be requested now: repeat it shortly with the same idempotencyKey';
