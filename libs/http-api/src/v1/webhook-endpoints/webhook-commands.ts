import { CLOCK } from '@florin/event-sourcing';
import { type Clock, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { type EndpointCommand, type EndpointRequest, requestFingerprint } from '@florin/webhooks-domain';
import { Inject, Injectable } from '@nestjs/common';
import { type Accepted, type CommandOrigin, Commands } from '../../commands';
import type { Input } from '../../endpoint';

const refusals = { too_many_endpoints: 'quota_exceeded', endpoint_disabled: 'validation_failed' } as const;

/** Sends commands about the webhooks of an account. */
@Injectable()
export class WebhookCommands {
  constructor(
    private readonly commands: Commands,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The fields that the commands share. A repetition is recognized by the request id. */
  fieldsOf({ caller, idempotency }: Pick<Input, 'caller' | 'idempotency'>) {
    const accountId = accountIdOf(caller.companyId, caller.environment);
    return { accountId, requestId: idempotency?.commandId ?? randomId(), now: this.clock.now().toISOString() };
  }

  execute<Answer = null>(origin: CommandOrigin, command: EndpointCommand): Promise<Accepted<Answer>> {
    return this.commands.execute(origin, toExecute(command));
  }

  /** Executes a request once, however long ago the first one with its `Idempotency-Key` was. */
  executeOnce<Answer>(
    origin: CommandOrigin,
    command: EndpointRequest,
    replyAgain: () => Answer,
  ): Promise<Accepted<Answer>> {
    const remembered = { fingerprint: requestFingerprint(command), replyAgain };
    return this.commands.execute(origin, { ...toExecute(command), remembered });
  }
}

function toExecute(command: EndpointCommand) {
  const { data } = command;
  const id = 'requestId' in data ? data.requestId : undefined;
  return { context: 'webhooks', key: data.accountId, id, command, refusals };
}
