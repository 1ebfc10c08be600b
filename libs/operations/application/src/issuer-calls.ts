import { CLOCK, exponentialBackoff, type MessageHeaders, type ReplyOf } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import type { FirstStep, IssuerResponse, operationAggregate, OperationCommand, Order } from '@florin/operations-domain';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Operations } from './aggregates';
import { IssuerCallSlots } from './issuer-call-slots';
import { IssuerRequests } from './issuer-requests';
import { type Issuer, type IssuerRequest, ISSUERS, type Issuers } from './issuer.port';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';

/** A response that arrives just before the timeout must be stored before the call counts as abandoned. */
const graceMs = 2_000;

type Environment = Order['environment'];

type OperationReply = ReplyOf<typeof operationAggregate>;

interface Pending {
  readonly order: Order;
  readonly headers: MessageHeaders;
  /** Not stored yet: it is stored together with its first step. */
  readonly isNew: boolean;
}

/** A call whose intent this process has stored. */
interface Call {
  readonly callId: string;
  readonly deadlineMs: number;
  readonly issuer: Issuer;
  readonly request: IssuerRequest;
  readonly environment: Order['environment'];
  readonly headers: MessageHeaders;
}

/** The reply to the intent, and the call to make, if any. */
interface Start {
  readonly reply?: OperationReply;
  readonly call?: Call;
}

/**
 * Calls the issuer at most once per operation. The intent is stored first, with a unique call id, and only the process that
 * finds its own id stored makes the call. There is no second call: if no response is stored, the watchdog finds the
 * deadline passed and the operation goes to review.
 */
@Injectable()
export class IssuerCalls implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly slots: Readonly<Record<Environment, IssuerCallSlots<Pending>>>;
  private readonly inProgress = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    @Inject(ISSUERS) private readonly issuers: Issuers,
    private readonly requests: IssuerRequests,
    private readonly operations: Operations,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {
    // Separate slots per environment, so hanging sandbox calls cannot block live ones.
    const slots = (): IssuerCallSlots<Pending> => new IssuerCallSlots(options.issuerConcurrency);
    this.slots = { sandbox: slots(), live: slots() };
  }

  /**
   * Starts the call of a queued operation. Resolves once the intent is stored, while the call continues in the background.
   * If all slots are taken, the operation waits in memory. Returns whether the operation has advanced.
   */
  async begin(order: Order, headers: MessageHeaders): Promise<boolean> {
    if (this.stopping)
      throw new Error(`Operation ${order.operationId} is not sent to the issuer: this process is shutting down`);
    const pending = { order, headers, isNew: false };
    if (!this.slots[order.environment].acquire(order.operationId, pending)) return false;
    const { reply, call } = await this.useSlot(pending);
    // If the intent was already stored, another process makes the call.
    return call !== undefined || (reply?.ok === true && !reply.repeated);
  }

  /**
   * Stores a new operation, in the same append with the intent to call if a slot is free. Otherwise the operation is only
   * queued, and has to be advanced later.
   */
  async queue(order: Order, headers: MessageHeaders): Promise<OperationReply> {
    const { environment } = order;
    const canCall = this.issuers[environment] !== undefined && !this.stopping;
    if (canCall && this.slots[environment].tryAcquire()) {
      const pending = { order, headers, isNew: true };
      const { reply } = await this.useSlot(pending).catch((error: unknown) => this.logFailedStart(order, error));
      if (reply !== undefined) return reply;
    }
    return this.store({ type: 'QueueOperation', data: { operationId: order.operationId, order } }, headers);
  }

  /** No new calls from here on. Operations that wait for a slot stay queued, and the watchdog finds them. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const slots of Object.values(this.slots)) slots.clear();
  }

  /** Waits for the calls in progress. Each ends soon after its deadline. */
  async onApplicationShutdown(): Promise<void> {
    this.beforeApplicationShutdown();
    while (this.inProgress.size > 0) await Promise.all(this.inProgress);
  }

  /** Releases the slot once the call has ended and its response is stored. */
  private async useSlot(pending: Pending): Promise<Start> {
    const starting = this.start(pending);
    const calling = starting.then(async ({ call }) => call && this.record(call, await this.execute(call)));
    // A failed start is reported to the caller by `starting`.
    const over = calling.catch(() => undefined).then(() => this.releaseSlot(pending.order.environment));
    this.inProgress.add(over);
    void over.then(() => this.inProgress.delete(over));
    return starting;
  }

  private releaseSlot(environment: Environment): void {
    const next = this.slots[environment].release();
    if (next === undefined) return;
    this.useSlot(next).catch((error: unknown) => this.logFailedStart(next.order, error));
  }

  private logFailedStart({ operationId }: Order, error: unknown): Start {
    this.options.log.warn({ operationId, err: error }, 'Could not start the issuer call; the watchdog will retry');
    return {};
  }

  private async start(pending: Pending): Promise<Start> {
    const { order, headers } = pending;
    const { operationId, environment } = order;
    const issuer = this.issuers[environment];
    if (issuer === undefined) {
      this.options.log.error(
        { operationId },
        `No ${environment} issuer is configured; the operation stays queued until one is`,
      );
      return {};
    }
    const prepared = await this.requests.prepare(order, issuer, headers);
    if ('failure' in prepared) return { reply: await this.takeFirstStep(prepared, pending) };
    const callId = randomId();
    const deadlineMs = this.clock.now().getTime() + this.options.issuerTimeoutMs;
    const deadline = new Date(deadlineMs + graceMs).toISOString();
    const reply = await this.takeFirstStep({ call: { callId, deadline } }, pending);
    if (reply.ok && reply.answer.status === 'failed') await this.requests.withdraw(order, headers);
    if (!reply.ok || reply.answer.callId !== callId) return { reply };
    return { reply, call: { callId, deadlineMs, issuer, request: prepared.request, environment, headers } };
  }

  private takeFirstStep(step: FirstStep, { order, headers, isNew }: Pending): Promise<OperationReply> {
    const { operationId } = order;
    if (isNew) return this.store({ type: 'QueueOperation', data: { operationId, order, firstStep: step } }, headers);
    if ('call' in step) return this.store({ type: 'StartIssuerCall', data: { operationId, ...step.call } }, headers);
    return this.store({ type: 'DeclineUncalled', data: { operationId, failure: step.failure } }, headers);
  }

  /** A new id for every command, so the store does not treat the intents of two replicas as a repeat. */
  private store(command: OperationCommand, headers: MessageHeaders): Promise<OperationReply> {
    return this.operations.handle(command.data.operationId, command, { id: randomId(), headers });
  }

  private async execute({ issuer, request, deadlineMs }: Call): Promise<IssuerResponse> {
    const remainingMs = deadlineMs - this.clock.now().getTime();
    // After such a delay the operation may have been resolved in review, and its funds released.
    if (remainingMs <= 0) return unknown('The issuer was not called, because the deadline had passed');
    const { abortAfter = (milliseconds: number) => AbortSignal.timeout(milliseconds) } = this.options;
    try {
      return await issuer.execute(request, abortAfter(remainingMs));
    } catch (error) {
      return unknown(`The call failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Retries as long as the process runs, because a lost response needs a manual review. */
  private async record(
    { callId, request, environment, headers, deadlineMs }: Call,
    response: IssuerResponse,
  ): Promise<void> {
    const { operationId } = request;
    const { log, backoff = exponentialBackoff(100, 5_000) } = this.options;
    const data = { operationId, callId, response, respondedAt: this.clock.now().toISOString() };
    const actor = response.outcome === 'unknown' ? headers.actor : ({ kind: 'issuer', id: environment } as const);
    for (let tries = 1; ; tries++) {
      try {
        const reply = await this.store({ type: 'RecordIssuerResponse', data }, { ...headers, actor });
        if (!reply.ok) log.error({ operationId, response, refusal: reply.refusal }, 'The issuer response was rejected');
        return;
      } catch (error) {
        log.warn({ operationId, tries, err: error }, 'Could not store the issuer response; retrying');
        if (this.stopping && this.clock.now().getTime() >= deadlineMs) return;
        await backoff.wait(tries);
      }
    }
  }
}

function unknown(reason: string): IssuerResponse {
  return { outcome: 'unknown', reason };
}
