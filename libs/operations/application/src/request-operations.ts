import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import { type BulkRequestRefusal, type Order, type RequestOperations, requestsIn } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { type NewReservation, OrderReservations } from './order-reservations';
import { type CheckedOrder, RequestOperationHandler } from './request-operation';

type Reply = CommandReply<Order, BulkRequestRefusal>;

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
    const checks = await Promise.allSettled(requests.map((request) => this.requests.check(request, headers)));
    const reserved = await this.reservations.createAll(checks.flatMap(onAccount), headers);
    const outcomes = await Promise.allSettled(
      checks.map(async (check) => {
        if (check.status === 'rejected') throw check.reason as Error;
        if ('reply' in check.value) return check.value.reply;
        return this.requests.reserve(check.value, headers, reserved.get(check.value));
      }),
    );
    return { ok: true, repeated: false, answer: this.repliesTo(requests, outcomes) };
  }

  /** One request must not withhold the replies to others. If all have failed, the bus decides whether to retry the command. */
  private repliesTo(
    requests: ReturnType<typeof requestsIn>,
    outcomes: readonly PromiseSettledResult<Reply>[],
  ): readonly Reply[] {
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

/** What the ledger has to reserve. The funds of an unload are on its card. */
function onAccount(check: PromiseSettledResult<CheckedOrder>): readonly NewReservation[] {
  if (check.status === 'rejected' || 'reply' in check.value) return [];
  return check.value.order.type === 'unload' ? [] : [check.value];
}

const failed = 'The operation could not be requested now: repeat it shortly with the same idempotencyKey';
