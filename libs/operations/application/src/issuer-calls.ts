import { CLOCK, exponentialBackoff, type MessageHeaders } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import type { IssuerAnswer, OperationFailure, OperationOrder } from '@florin/operations-domain';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Operations } from './aggregates';
import { CallLane } from './call-lane';
import { IssuerOrders } from './issuer-orders';
import { type Issuer, type IssuerOrder, ISSUERS, type Issuers } from './issuer.port';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

/** An answer in the last moment has to be stored, too, before anybody may take the call for abandoned. */
const graceMs = 2_000;

type Environment = OperationOrder['environment'];

interface Wish {
  readonly order: OperationOrder;
  readonly headers: MessageHeaders;
}

/** A call whose intent is stored. It is ours alone, and it is made once. */
interface Call {
  readonly callId: string;
  readonly deadlineMs: number;
  readonly issuer: Issuer;
  readonly order: IssuerOrder;
  readonly headers: MessageHeaders;
}

/** Whether the operation has moved, and the call that we have to make now, if any. */
interface Start {
  readonly moved: boolean;
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
    const wish = { order, headers };
    return this.lanes[order.environment].take(order.operationId, wish) && this.useSlot(wish);
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
  private async useSlot(wish: Wish): Promise<boolean> {
    const starting = this.start(wish);
    const calling = starting.then(({ call }) => call && this.carryOut(call));
    // That a start failed is told to whoever asked for it, below.
    const over = calling.catch(() => undefined).then(() => this.giveBack(wish.order.environment));
    this.underWay.add(over);
    void over.then(() => this.underWay.delete(over));
    return (await starting).moved;
  }

  private giveBack(environment: Environment): void {
    const next = this.lanes[environment].handOn();
    if (next === undefined) return;
    this.useSlot(next).catch((error: unknown) => {
      const details = { operationId: next.order.operationId, err: error };
      this.options.log.warn(details, 'An issuer call could not be started; the watchdog comes back to the operation');
    });
  }

  private async start({ order, headers }: Wish): Promise<Start> {
    const { operationId, environment } = order;
    const issuer = this.issuers[environment];
    if (issuer === undefined) {
      this.options.log.error({ operationId }, `Operation waits: there is no ${environment} issuer; configure one`);
      return { moved: false };
    }
    const prepared = await this.orders.prepare(order, issuer);
    if ('failure' in prepared) return { moved: await this.decline(operationId, prepared.failure, headers) };
    const callId = randomId();
    const deadlineMs = this.clock.now().getTime() + this.options.issuerTimeoutMs;
    const deadline = new Date(deadlineMs + graceMs).toISOString();
    const data = { operationId, callId, deadline };
    // The wish has an id of its own, too: no store may ever take the intents of two replicas for one and the same.
    const reply = await this.operations.handle(operationId, { type: 'StartIssuerCall', data }, { id: callId, headers });
    if (!reply.ok || reply.answer.callId !== callId) return { moved: false };
    return { moved: true, call: { callId, deadlineMs, issuer, order: prepared.order, headers } };
  }

  private async decline(operationId: string, failure: OperationFailure, headers: MessageHeaders): Promise<boolean> {
    const command = { type: 'DeclineUncalled', data: { operationId, failure } } as const;
    const reply = await this.operations.handle(operationId, command, { id: randomId(), headers });
    return reply.ok && !reply.repeated;
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
        const context = { id: randomId(), headers };
        const reply = await this.operations.handle(operationId, { type: 'RecordIssuerAnswer', data }, context);
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
