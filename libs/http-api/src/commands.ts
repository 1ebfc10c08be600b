import { COMMAND_BUS, type CommandBus, type CommandMessage, type CommandReply } from '@florin/event-sourcing';
import { type Command, randomId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type ApiErrorCode, isApiErrorCode } from './errors/api-error';
import type { Idempotency } from './idempotency/idempotency';
import type { RequestOrigin } from './input';

export interface CommandToExecute {
  readonly context: string;
  /** Commands with the same key are handled in the order in which they were sent. */
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** The id of the wish. Without it, the one made of the client's `Idempotency-Key`, or a new one. */
  readonly id?: string;
  /** What a refusal is called outside, where its own code is not one of the API's. */
  readonly refusals?: Readonly<Record<string, ApiErrorCode>>;
}

export interface Accepted<Answer> {
  readonly answer: Answer;
  /** An earlier request had done it: answer with `replayed`. */
  readonly repeated: boolean;
}

/** How a controller gets something done: it sends a command and waits until it has durably happened, or was refused. */
@Injectable()
export class Commands {
  constructor(@Inject(COMMAND_BUS) private readonly bus: CommandBus) {}

  async execute<Answer = null>(
    origin: RequestOrigin & { readonly idempotency?: Idempotency },
    { context, key, command, id, refusals }: CommandToExecute,
  ): Promise<Accepted<Answer>> {
    const { requestId, traceparent } = origin;
    const message: CommandMessage = {
      context,
      key,
      id: id ?? origin.idempotency?.commandId ?? randomId(),
      command,
      headers: { correlationId: requestId, causationId: requestId, traceparent },
    };
    const reply = await this.bus.request<CommandReply<Answer>>(message);
    if (reply.ok) return reply;
    const { refused, message: reason } = reply.refusal;
    const code = refusals?.[refused] ?? refused;
    if (isApiErrorCode(code)) throw new ApiError(code, reason);
    // A refusal that the API has no word for is our omission, not the client's mistake.
    throw new Error(`${command.type} was refused with ${refused}, which no API error stands for: ${reason}`);
  }
}
