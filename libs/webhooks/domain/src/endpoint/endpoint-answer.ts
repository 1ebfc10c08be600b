import { assert } from '@florin/kernel';
import type { Endpoint, EndpointDirectory } from './endpoint-directory';
import type { EndpointAnswer, EndpointCommand } from './endpoint.messages';

/**
 * The endpoint as it stands; of a registration, as it was registered, so that a repeat is answered like the first time.
 * Nothing where the command is about no endpoint.
 */
export function endpointAnswer({ endpoints }: EndpointDirectory, command: EndpointCommand): EndpointAnswer | null {
  const endpointId = 'endpointId' in command.data ? command.data.endpointId : undefined;
  if (endpointId === undefined) return null;
  const endpoint = endpoints.get(endpointId);
  assert(endpoint !== undefined, () => `an accepted command leaves endpoint ${endpointId} behind`);
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
