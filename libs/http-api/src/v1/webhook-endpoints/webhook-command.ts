import type { EndpointCommand } from '@florin/webhooks-domain';
import type { CommandToExecute } from '../../commands';
import type { ApiErrorCode } from '../../errors/api-error';

const refusals: Readonly<Record<string, ApiErrorCode>> = {
  too_many_endpoints: 'quota_exceeded',
  endpoint_disabled: 'validation_failed',
};

/** A wish about the webhooks of one account. The id is that of the request, where a repeat has to be known as one. */
export function webhookCommand(command: EndpointCommand, id?: string): CommandToExecute {
  return { context: 'webhooks', key: command.data.accountId, id, command, refusals };
}
