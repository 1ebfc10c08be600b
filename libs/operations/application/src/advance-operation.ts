import {
  CLOCK,
  COMMAND_BUS,
  type CommandBus,
  type CommandContext,
  type CommandReply,
  type MessageHeaders,
} from '@florin/event-sourcing';
import { assert, type Clock, randomId, type Refusal } from '@florin/kernel';
import {
  type AdvanceOperation,
  type CommandStep,
  nextSteps,
  type OperationOrder,
  type OperationStep,
  type QueueOperation,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { anyAgeMs, Cards, freshMs, Operations } from './aggregates';
import { IssuerCalls } from './issuer-calls';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { Pace } from './pace';

/** What came of one step, or of several: whether anything has changed by it, or why it could not be done. */
type Outcome = 'moved' | 'unmoved' | Refusal;

/** Does whatever has to happen next with an operation. Anybody may ask for it, at any time and any number of times. */
@Injectable()
export class AdvanceOperationHandler {
  constructor(
    @Inject(Operations) private readonly operations: Operations,
    @Inject(Cards) private readonly cards: Cards,
    @Inject(IssuerCalls) private readonly calls: IssuerCalls,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(Pace) private readonly pace: Pace,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  /** In its turn. */
  execute({ data }: AdvanceOperation, { headers }: CommandContext): Promise<CommandReply> {
    return this.pace.advance(() => this.advance(data.operationId, headers));
  }

  /** A new operation, in its turn: it is stored, and begun. Where it cannot be begun, the watchdog comes back to it. */
  queue({ data }: QueueOperation, { headers }: CommandContext): Promise<CommandReply> {
    const { operationId, order } = data;
    return this.pace.begin(order.createdAt, async () => {
      const reply = await this.calls.queue(order, headers);
      if (!reply.ok) return reply;
      if (reply.answer.status === 'queued') await this.advanceOrTell(operationId, headers);
      return { ok: true, repeated: reply.repeated, answer: null };
    });
  }

  /**
   * At once. What is remembered of an operation is mostly right, and acting on it does no harm where it is not; but that
   * nothing has to be done is believed only of the state that is stored now.
   */
  async advance(operationId: string, headers: MessageHeaders): Promise<CommandReply> {
    let outcome = await this.takeSteps(operationId, anyAgeMs, headers);
    if (outcome === 'unmoved') outcome = await this.takeSteps(operationId, freshMs, headers);
    if (typeof outcome === 'object') return { ok: false, refusal: outcome };
    return { ok: true, repeated: outcome === 'unmoved', answer: null };
  }

  /** One operation that cannot go on must not hold up all the others, which wait behind it in the log. */
  private async advanceOrTell(operationId: string, headers: MessageHeaders): Promise<void> {
    try {
      const reply = await this.advance(operationId, headers);
      if (!reply.ok) throw new Error(`${reply.refusal.refused}: ${reply.refusal.message}`);
    } catch (error) {
      const message = 'A new operation could not be moved on; the watchdog comes back to it';
      this.options.log.warn({ operationId, err: error }, message);
    }
  }

  private async takeSteps(operationId: string, maxAgeMs: number, headers: MessageHeaders): Promise<Outcome> {
    const { order, steps } = await this.operations.read(operationId, maxAgeMs, (state) => {
      return { order: state.order, steps: nextSteps(state, this.clock.now()) };
    });
    let outcome: Outcome = 'unmoved';
    for (const step of steps) {
      assert(order !== undefined, () => `operation ${operationId} does not exist and has steps to take`);
      outcome = await this.take(step, order, headers);
      if (typeof outcome === 'object') return outcome;
    }
    return outcome;
  }

  private async take(step: OperationStep, order: OperationOrder, headers: MessageHeaders): Promise<Outcome> {
    if (step === 'call-issuer') return (await this.calls.begin(order, headers)) ? 'moved' : 'unmoved';
    const reply = await this.send(step, { id: randomId(), headers });
    if (reply.ok) return reply.repeated ? 'unmoved' : 'moved';
    const isTolerated = step.tolerates?.some((code) => code === reply.refusal.refused);
    return isTolerated ? 'unmoved' : reply.refusal;
  }

  /** The streams of this context are written right here; everything else goes to whoever handles it. */
  private send({ context, key, command }: CommandStep, wish: CommandContext): Promise<CommandReply<unknown>> {
    switch (command.type) {
      case 'IssueCard':
      case 'TopUpCard':
        return this.cards.handle(command.data.cardId, command, wish);
      case 'AbandonIssuerCall':
      case 'CompleteOperation':
      case 'FailOperation':
        return this.operations.handle(command.data.operationId, command, wish);
      default:
        return this.bus.request({ context, key, command, ...wish });
    }
  }
}
