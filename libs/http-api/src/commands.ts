import { COMMAND_BUS, type CommandBus, type CommandMessage, type CommandReply } from '@florin/event-sourcing';
import { type Command, idempotencyConflict, type Json, randomId, type Refusal } from '@florin/kernel';
import { AcceptedRequestQueries, operators } from '@florin/read-models';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from './caller';
import type { RequestOrigin } from './endpoint';
import { ApiError, type ApiErrorCode, isApiErrorCode } from './errors/api-error';
import type { Idempotency } from './idempotency/idempotency';
import { CommandTurns } from './rate-limit/command-turns';

/** How to recognize and repeat a request that the aggregate may have forgotten. */
export interface RememberedRequest<Answer> {
  /** Must equal that of the accepted request. Absent if the id of the command identifies the whole request. */
  readonly fingerprint?: string;
  /** The reply to a repeat, from what the read model stores for it. Undefined to send the command. */
  readonly replyAgain: (stored: Json) => Answer | undefined | Promise<Answer | undefined>;
  /** The aggregate recognizes every repeat, but slowly: then a lookup does not wait for the read model. */
  readonly isShortcut?: true;
}

/** The request that causes a command. */
export interface CommandOrigin extends RequestOrigin {
  readonly idempotency?: Idempotency;
  /** Absent in requests of operators. */
  readonly caller?: Caller;
}

export interface CommandToExecute<Answer = unknown> {
  readonly context: string;
  /** Commands with the same key are handled in the order in which they are sent. */
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** The command id. By default it is derived from the `Idempotency-Key`, or random. */
  readonly id?: string;
  /** Maps refusal codes to API error codes, where they differ. */
  readonly refusals?: Readonly<Record<string, ApiErrorCode>>;
  /** For aggregates that remember only their newest requests. */
  readonly remembered?: RememberedRequest<Answer>;
}

/** Nothing was changed, and a new request has a new time. */
const commonRefusals = { request_outdated: 'unavailable' } as const;

export interface Accepted<Answer> {
  readonly answer: Answer;
  /** Whether an earlier request did it: respond with `replayed`. */
  readonly repeated: boolean;
}

/** Sends a command and waits until its events are stored, or until it is refused. */
@Injectable()
export class Commands {
  constructor(
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    private readonly acceptedRequests: AcceptedRequestQueries,
    private readonly turns: CommandTurns,
  ) {}

  async execute<Answer = null>(
    origin: CommandOrigin,
    { context, key, command, id, refusals, remembered }: CommandToExecute<Answer>,
  ): Promise<Accepted<Answer>> {
    const earlier = remembered && (await this.repeat(origin, remembered));
    if (earlier !== undefined) return earlier;
    const { requestId, traceparent, actor, caller } = origin;
    const message: CommandMessage = {
      context,
      key,
      id: id ?? origin.idempotency?.commandId ?? randomId(),
      command,
      headers: { correlationId: requestId, causationId: requestId, traceparent, actor },
    };
    const send = () => this.bus.request<CommandReply<Answer>>(message);
    const reply = await (caller === undefined ? send() : this.turns.run(caller, send));
    if (reply.ok) return reply;
    throw errorOf(reply.refusal, command, refusals);
  }

  /** Undefined if the request has no key, or if no request with its key was accepted more than a moment ago. */
  private async repeat<Answer>(
    { idempotency, caller }: CommandOrigin,
    { fingerprint, replyAgain, isShortcut }: RememberedRequest<Answer>,
  ): Promise<Accepted<Answer> | undefined> {
    if (idempotency === undefined) return undefined;
    const accepted = isShortcut
      ? await this.acceptedRequests.findNow(caller ?? operators, idempotency.commandId)
      : await this.acceptedRequests.find(caller ?? operators, idempotency.commandId);
    if (accepted === undefined) return undefined;
    if (accepted.fingerprint !== (fingerprint ?? null)) {
      const { refused, message } = idempotencyConflict();
      throw new ApiError(refused, message);
    }
    const answer = await replyAgain(accepted.reply);
    return answer === undefined ? undefined : { answer, repeated: true };
  }
}

/** The error that a refusal means to a client. */
export function errorOf(
  { refused, message }: Refusal,
  { type }: Pick<CommandToExecute['command'], 'type'>,
  refusals: CommandToExecute['refusals'] = {},
): Error {
  const code = { ...commonRefusals, ...refusals }[refused] ?? refused;
  const headers = code === 'unavailable' ? { 'retry-after': '1' } : undefined;
  if (isApiErrorCode(code)) return new ApiError(code, message, headers);
  // A refusal without an API error code is a bug, not a client error.
  return new Error(`${type} was refused with ${refused}, which has no API error code: ${message}`);
}
