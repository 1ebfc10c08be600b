import type { EndpointCommand } from '@florin/webhooks-domain';
import type { CommandToExecute } from '../../commands';
import type { ApiErrorCode } from '../../errors/api-error';

const refusals: Readonly<Record<string, ApiErrorCode>> = {
  too_many_endpoints: 'quota_exceeded',
  endpoint_disabled: 'validation_failed',
};

/** A command about the webhooks of an account. `id` is the request id if a repetition must be recognized. */
export function webhookCommand(command: EndpointCommand, id?: string): CommandToExecute {
  return { context: 'webhooks', key: command.data.accountId, id, command, refusals };
}
