import { CLOCK, exponentialBackoff, type MessageHeaders, type ReplyOf } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import type {
  FirstStep,
  IssuerAnswer,
  operationAggregate,
  OperationCommand,
  OperationOrder,
} from '@florin/operations-domain';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Operations } from './aggregates';
import { CallLane } from './call-lane';
import { IssuerOrders } from './issuer-orders';
import { type Issuer, type IssuerOrder, ISSUERS, type Issuers } from './issuer.port';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

/** An answer in the last moment has to be stored, too, before anybody may take the call for abandoned. */
const graceMs = 2_000;

type Environment = OperationOrder['environment'];

type OperationReply = ReplyOf<typeof operationAggregate>;

interface Wish {
  readonly order: OperationOrder;
  readonly headers: MessageHeaders;
  /** Not stored yet: it will be, together with its first step. */
  readonly isNew: boolean;
}

/** A call whose intent is stored. It is ours alone, and it is made once. */
interface Call {
  readonly callId: string;
  readonly deadlineMs: number;
  readonly issuer: Issuer;
  readonly order: IssuerOrder;
  readonly headers: MessageHeaders;
}

/** What became of the intent, if there was anybody to call, and the call that we have to make now, if any. */
interface Start {
  readonly reply?: OperationReply;
  readonly call?: Call;
}

/**
 * Calls the issuer, at most once for an operation, ever. The intent is stored first, under an id that nobody else has,
 * and only whoever finds that very id stored may call. Whatever happens to the call after that, there is no second one:
 * where no answer gets stored, the watchdog finds the deadline passed and the operation goes to review.
 */
@Injectable()
export class IssuerCalls implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly lanes: Readonly<Record<Environment, CallLane<Wish>>>;
  private readonly underWay = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    @Inject(ISSUERS) private readonly issuers: Issuers,
    @Inject(IssuerOrders) private readonly orders: IssuerOrders,
    @Inject(Operations) private readonly operations: Operations,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {
    // Each environment has slots of its own: sandbox calls that never answer must not hold up live ones.
    const lane = (): CallLane<Wish> => new CallLane(options.issuerConcurrency);
    this.lanes = { sandbox: lane(), live: lane() };
  }

  /**
   * Starts the call of a queued operation. Resolves once the intent is stored; the call then goes on by itself. Where
   * all slots are taken, the operation waits in memory and nobody waits for it. True when the operation has moved.
   */
  async begin(order: OperationOrder, headers: MessageHeaders): Promise<boolean> {
    if (this.stopping) throw new Error(`This process is ending and calls nobody for operation ${order.operationId}`);
    const wish = { order, headers, isNew: false };
    if (!this.lanes[order.environment].take(order.operationId, wish)) return false;
    const { reply, call } = await this.useSlot(wish);
    // Of an intent that is stored already somebody else makes the call; a stored failure needs nobody.
    return call !== undefined || (reply?.ok === true && !reply.repeated);
  }

  /**
   * Stores a new operation, and with it the intent to call, where there is a slot for the call: one append for both. In
   * all other cases the operation is queued, and somebody has to ask for its call.
   */
  async queue(order: OperationOrder, headers: MessageHeaders): Promise<OperationReply> {
    const { environment } = order;
    const canCall = this.issuers[environment] !== undefined && !this.stopping;
    if (canCall && this.lanes[environment].takeFree()) {
      const wish = { order, headers, isNew: true };
      const { reply } = await this.useSlot(wish).catch((error: unknown) => this.tell(order, error));
      if (reply !== undefined) return reply;
    }
    return this.store({ type: 'QueueOperation', data: { operationId: order.operationId, order } }, headers);
  }

  /** No new calls from here on. Operations that wait for a slot are queued still, and found after the next start. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const lane of Object.values(this.lanes)) lane.clear();
  }

  /** Waits for the calls under way. Each ends soon after its deadline at the latest. */
  async onApplicationShutdown(): Promise<void> {
    this.beforeApplicationShutdown();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** The slot is given back once everything is over, the call included. */
  private async useSlot(wish: Wish): Promise<Start> {
    const starting = this.start(wish);
    const calling = starting.then(({ call }) => call && this.carryOut(call));
    // That a start failed is told to whoever asked for it, below.
    const over = calling.catch(() => undefined).then(() => this.giveBack(wish.order.environment));
    this.underWay.add(over);
    void over.then(() => this.underWay.delete(over));
    return starting;
  }

  private giveBack(environment: Environment): void {
    const next = this.lanes[environment].handOn();
    if (next === undefined) return;
    this.useSlot(next).catch((error: unknown) => this.tell(next.order, error));
  }

  private tell({ operationId }: OperationOrder, error: unknown): Start {
    const details = { operationId, err: error };
    this.options.log.warn(details, 'An issuer call could not be started; the watchdog comes back to the operation');
    return {};
  }

  private async start(wish: Wish): Promise<Start> {
    const { order, headers } = wish;
    const { operationId, environment } = order;
    const issuer = this.issuers[environment];
    if (issuer === undefined) {
      this.options.log.error({ operationId }, `Operation waits: there is no ${environment} issuer; configure one`);
      return {};
    }
    const prepared = await this.orders.prepare(order, issuer);
    if ('failure' in prepared) return { reply: await this.take(prepared, wish) };
    const callId = randomId();
    const deadlineMs = this.clock.now().getTime() + this.options.issuerTimeoutMs;
    const deadline = new Date(deadlineMs + graceMs).toISOString();
    const reply = await this.take({ call: { callId, deadline } }, wish);
    if (!reply.ok || reply.answer.callId !== callId) return { reply };
    return { reply, call: { callId, deadlineMs, issuer, order: prepared.order, headers } };
  }

  private take(step: FirstStep, { order, headers, isNew }: Wish): Promise<OperationReply> {
    const { operationId } = order;
    if (isNew) return this.store({ type: 'QueueOperation', data: { operationId, order, firstStep: step } }, headers);
    if ('call' in step) return this.store({ type: 'StartIssuerCall', data: { operationId, ...step.call } }, headers);
    return this.store({ type: 'DeclineUncalled', data: { operationId, failure: step.failure } }, headers);
  }

  /** Every wish has an id of its own: no store may ever take the intents of two replicas for one and the same. */
  private store(command: OperationCommand, headers: MessageHeaders): Promise<OperationReply> {
    return this.operations.handle(command.data.operationId, command, { id: randomId(), headers });
  }

  private async carryOut(call: Call): Promise<void> {
    await this.record(call, await this.ask(call));
  }

  private async ask({ issuer, order, deadlineMs }: Call): Promise<IssuerAnswer> {
    const remainingMs = deadlineMs - this.clock.now().getTime();
    // Whoever was held up for so long may find the operation reviewed, and its funds released, by now.
    if (remainingMs <= 0) return unknown('The issuer was not called, because the deadline had passed before');
    const { abortAfter = (milliseconds: number) => AbortSignal.timeout(milliseconds) } = this.options;
    try {
      return await issuer.execute(order, abortAfter(remainingMs));
    } catch (error) {
      return unknown(`The call failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Tries for as long as this process lives: an answer that is lost costs a person a review. */
  private async record({ callId, order, headers, deadlineMs }: Call, answer: IssuerAnswer): Promise<void> {
    const { operationId } = order;
    const { log, backoff = exponentialBackoff(100, 5_000) } = this.options;
    const data = { operationId, callId, answer, answeredAt: this.clock.now().toISOString() };
    for (let tries = 1; ; tries++) {
      try {
        const reply = await this.store({ type: 'RecordIssuerAnswer', data }, headers);
        if (!reply.ok) log.error({ operationId, answer, refusal: reply.refusal }, 'An issuer answer was refused');
        return;
      } catch (error) {
        log.warn({ operationId, tries, err: error }, 'An issuer answer could not be stored; trying again');
        if (this.stopping && this.clock.now().getTime() >= deadlineMs) return;
        await backoff.wait(tries);
      }
    }
  }
}

function unknown(reason: string): IssuerAnswer {
  return { outcome: 'unknown', reason };
}
