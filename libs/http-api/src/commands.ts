import { COMMAND_BUS, type CommandBus, type CommandMessage, type CommandReply } from '@florin/event-sourcing';
import { type Command, randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestOrigin } from './endpoint';
import { ApiError, type ApiErrorCode, isApiErrorCode } from './errors/api-error';
import type { Idempotency } from './idempotency/idempotency';

export interface CommandToExecute {
  readonly context: string;
  /** Commands with the same key are handled in the order in which they are sent. */
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** The command id. By default it is derived from the `Idempotency-Key`, or random. */
  readonly id?: string;
  /** Maps refusal codes to API error codes, where they differ. */
  readonly refusals?: Readonly<Record<string, ApiErrorCode>>;
}

export interface Accepted<Answer> {
  readonly answer: Answer;
  /** Whether an earlier request did it: respond with `replayed`. */
  readonly repeated: boolean;
}

/** Sends a command and waits until its events are stored, or until it is refused. */
@Injectable()
export class Commands {
  constructor(@Inject(COMMAND_BUS) private readonly bus: CommandBus) {}

  async execute<Answer = null>(
    origin: RequestOrigin & { readonly idempotency?: Idempotency },
    { context, key, command, id, refusals }: CommandToExecute,
  ): Promise<Accepted<Answer>> {
    const { requestId, traceparent, actor } = origin;
    const message: CommandMessage = {
      context,
      key,
      id: id ?? origin.idempotency?.commandId ?? randomId(),
      command,
      headers: { correlationId: requestId, causationId: requestId, traceparent, actor },
    };
    const reply = await this.bus.request<CommandReply<Answer>>(message);
    if (reply.ok) return reply;
    const { refused, message: reason } = reply.refusal;
    const code = refusals?.[refused] ?? refused;
    if (isApiErrorCode(code)) throw new ApiError(code, reason);
    // A refusal without an API error code is a bug, not a client error.
    throw new Error(`${command.type} was refused with ${refused}, which has no API error code: ${reason}`);
  }
}
