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
  isReservedElsewhere,
  nextSteps,
  type Order,
  type OperationStep,
  type QueueOperation,
  undoUnqueued,
} from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { anyCacheAgeMs, Cards, noCacheMs, Operations } from './aggregates';
import { IssuerCalls } from './issuer-calls';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { AdmissionControl } from './admission-control';

type Outcome = 'advanced' | 'unchanged' | Refusal;

/** Takes the next steps of an operation. Safe to repeat at any time. */
@Injectable()
export class AdvanceOperationHandler {
  constructor(
    private readonly operations: Operations,
    private readonly cards: Cards,
    private readonly calls: IssuerCalls,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly admission: AdmissionControl,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {}

  /** Under admission control. */
  execute({ data }: AdvanceOperation, { headers }: CommandContext): Promise<CommandReply> {
    return this.admission.advance(() => this.advance(data.operationId, headers));
  }

  /** Under admission control: stores a new operation and starts it. If it cannot be started, the watchdog retries. */
  queue({ data }: QueueOperation, { headers }: CommandContext): Promise<CommandReply> {
    const { operationId, order } = data;
    return this.admission.begin(order.createdAt, async () => {
      const reply = await this.calls.queue(order, headers);
      if (!reply.ok) return (await this.isReservedTwice(order)) ? this.undo(order, headers) : reply;
      if (reply.answer.status === 'queued') await this.advanceOrLog(operationId, headers);
      return { ok: true, repeated: reply.repeated, answer: null };
    });
  }

  /** The operation has an order whose funds are in another stream, so those of this one can be released. */
  private isReservedTwice(order: Order): Promise<boolean> {
    return this.operations.read(order.operationId, noCacheMs, ({ order: queued }) => {
      return queued !== undefined && isReservedElsewhere(order, queued);
    });
  }

  /** Returns the funds of an order that cannot be queued. It must not stop the process, which other operations wait for. */
  private async undo(order: Order, headers: MessageHeaders): Promise<CommandReply> {
    const { operationId, type } = order;
    this.options.log.warn(
      { operationId, type },
      'Two orders were accepted under one key at the same time; releasing the funds of the second',
    );
    for (const step of undoUnqueued(order)) {
      const outcome = await this.take(step, order, headers);
      if (typeof outcome === 'object') return { ok: false, refusal: outcome };
    }
    return { ok: true, repeated: true, answer: null };
  }

  /** Cached state is good enough to act on, because every step is idempotent. To do nothing, the stored state is read. */
  async advance(operationId: string, headers: MessageHeaders): Promise<CommandReply> {
    let outcome = await this.takeSteps(operationId, anyCacheAgeMs, headers);
    if (outcome === 'unchanged') outcome = await this.takeSteps(operationId, noCacheMs, headers);
    if (typeof outcome === 'object') return { ok: false, refusal: outcome };
    return { ok: true, repeated: outcome === 'unchanged', answer: null };
  }

  /** An operation that cannot advance must not block the ones behind it in the log. */
  private async advanceOrLog(operationId: string, headers: MessageHeaders): Promise<void> {
    try {
      const reply = await this.advance(operationId, headers);
      if (!reply.ok) throw new Error(`${reply.refusal.refused}: ${reply.refusal.message}`);
    } catch (error) {
      this.options.log.warn({ operationId, err: error }, 'Could not advance a new operation; the watchdog will retry');
    }
  }

  private async takeSteps(operationId: string, maxAgeMs: number, headers: MessageHeaders): Promise<Outcome> {
    const { order, steps } = await this.operations.read(operationId, maxAgeMs, (state) => {
      return { order: state.order, steps: nextSteps(state, this.clock.now()) };
    });
    let outcome: Outcome = 'unchanged';
    for (const step of steps) {
      assert(order !== undefined, () => `operation ${operationId} has steps and no order`);
      outcome = await this.take(step, order, headers);
      if (typeof outcome === 'object') return outcome;
    }
    return outcome;
  }

  private async take(step: OperationStep, order: Order, headers: MessageHeaders): Promise<Outcome> {
    if (step === 'call-issuer') return (await this.calls.begin(order, headers)) ? 'advanced' : 'unchanged';
    const reply = await this.send(step, { id: randomId(), headers });
    if (reply.ok) return reply.repeated ? 'unchanged' : 'advanced';
    const isTolerated = step.tolerates?.some((code) => code === reply.refusal.refused);
    return isTolerated ? 'unchanged' : reply.refusal;
  }

  /** Commands to streams of this context are handled here; the others go over the bus. */
  private send({ context, key, command }: CommandStep, sent: CommandContext): Promise<CommandReply<unknown>> {
    switch (command.type) {
      case 'IssueCard':
      case 'TopUpCard':
      case 'CancelTopup':
      case 'CaptureUnload':
      case 'ReleaseUnload':
        return this.cards.handle(command.data.cardId, command, sent);
      case 'AbandonIssuerCall':
      case 'CompleteOperation':
      case 'FailOperation':
        return this.operations.handle(command.data.operationId, command, sent);
      default:
        return this.bus.request({ context, key, command, ...sent });
    }
  }
}
