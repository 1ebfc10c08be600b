import { assert } from '@florin/kernel';
import type { Endpoint, EndpointDirectory } from './endpoint-directory';
import type { EndpointAnswer, EndpointCommand } from './endpoint.messages';

/**
 * The current endpoint. For a registration, the endpoint as registered, so that a repeated command gets the same reply.
 * Null when the command concerns no endpoint.
 */
export function endpointAnswer({ endpoints }: EndpointDirectory, command: EndpointCommand): EndpointAnswer | null {
  const endpointId = 'endpointId' in command.data ? command.data.endpointId : undefined;
  if (endpointId === undefined) return null;
  const endpoint = endpoints.get(endpointId);
  assert(endpoint !== undefined, () => `endpoint ${endpointId} exists after an accepted command`);
  return command.type === 'RegisterEndpoint' ? answerOf(asRegistered(endpoint)) : answerOf(endpoint);
}

type Shown = Pick<Endpoint, 'registered' | 'settings' | 'status' | 'disabledReason'>;

function asRegistered({ registered }: Endpoint): Shown {
  return { registered, settings: registered, status: 'enabled' };
}

function answerOf({ registered, settings, status, disabledReason }: Shown): EndpointAnswer {
  const { url, events, description } = settings;
  return {
    id: registered.endpointId,
    url,
    ...(events !== undefined && { events }),
    ...(description !== undefined && { description }),
    status,
    ...(disabledReason !== undefined && { disabledReason }),
    createdAt: registered.createdAt,
  };
}
