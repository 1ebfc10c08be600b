import { assert } from '@florin/kernel';
import { type Endpoint, type EndpointDirectory, registrationOf } from './endpoint-directory';
import type { EndpointAnswer, EndpointCommand } from './endpoint.messages';

/**
 * The current endpoint. For a registration, the endpoint as registered, so that a repeated command gets the same reply.
 * Null when the command concerns no endpoint, or one that was deleted.
 */
export function endpointAnswer(directory: EndpointDirectory, command: EndpointCommand): EndpointAnswer | null {
  const endpointId = 'endpointId' in command.data ? command.data.endpointId : undefined;
  if (endpointId === undefined) return null;
  if (command.type === 'RegisterEndpoint') {
    const registered = registrationOf(directory, endpointId);
    assert(registered !== undefined, () => `endpoint ${endpointId} exists after an accepted registration`);
    return answerOf(asRegistered(registered));
  }
  const endpoint = directory.endpoints.get(endpointId);
  return endpoint === undefined ? null : answerOf(endpoint);
}

type Shown = Pick<Endpoint, 'registered' | 'settings' | 'status' | 'disabledReason'>;

function asRegistered(registered: Endpoint['registered']): Shown {
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
