import { isRefusal, retainedRequests } from '@florin/kernel';
import type { EndpointDirectory } from './endpoint-directory';
import { endpointAggregate, retainedDeletions } from './endpoint.decider';
import type { EndpointCommand } from './endpoint.messages';
import * as sample from './testing/sample-endpoint';

const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const at = (ms: number): string => new Date(startMs + ms).toISOString();

function execute(directory: EndpointDirectory, command: EndpointCommand): EndpointDirectory {
  const decision = endpointAggregate.decide(command, directory);
  if (isRefusal(decision)) throw new Error(`${command.type}: ${decision.message}`);
  if (decision.length === 0) throw new Error(`${command.type} is a repeat`);
  return decision.reduce(endpointAggregate.evolve, directory);
}

const timed = <C extends EndpointCommand>(command: C, now: string): C => ({
  ...command,
  data: { ...command.data, now },
});

/** Requests of every kind, one per `everyMs`. */
function requested(count: number, everyMs: number): EndpointDirectory {
  let directory = execute(endpointAggregate.initialState(), sample.register());
  for (let number = 1; number <= count; number++) {
    const requestId = `q${number}`;
    const kinds = [
      sample.testEndpoint(requestId),
      sample.resend('e1', requestId),
      sample.update({}, requestId),
      sample.rotate(`s ${requestId}`, requestId),
      sample.trigger('card.created', requestId),
    ];
    directory = execute(directory, timed(kinds[number % kinds.length]!, at(number * everyMs)));
  }
  return directory;
}

describe('The requests of webhook endpoints', () => {
  it('are bounded after 20,000 requests', () => {
    expect(requested(20_000, 1).requests.accepted.size).toBe(retainedRequests.max);
    expect(requested(20_000, 60_000).requests.accepted.size).toBe(retainedRequests.min);
  });

  it('change nothing when they are delivered again, remembered or not', () => {
    const directory = requested(20_000, 1);
    const remembered = timed(sample.resend('e1', 'q19996'), at(19_996));
    const forgotten = timed(sample.resend('e1', 'q1'), at(1));
    expect(endpointAggregate.decide(remembered, directory)).toEqual([]);
    expect(endpointAggregate.decide(forgotten, directory)).toMatchObject({ refused: 'request_outdated' });
  });
});

describe('Deleted endpoints', () => {
  const registration = (number: number) =>
    timed(sample.register({ endpointId: `e${number}`, requestId: `r${number}` }), at(number * 2));

  function deleted(count: number): EndpointDirectory {
    let directory = endpointAggregate.initialState();
    for (let number = 1; number <= count; number++) {
      directory = execute(directory, registration(number));
      directory = execute(directory, timed(sample.remove(`e${number}`), at(number * 2 + 1)));
    }
    return directory;
  }

  it('are forgotten after the newest of them', () => {
    const { endpoints, deleted: retained } = deleted(5_000);
    expect([endpoints.size, retained.size]).toEqual([0, retainedDeletions.max]);
  });

  it('are not registered again by a redelivered command', () => {
    const directory = deleted(5_000);
    expect(endpointAggregate.decide(registration(5_000), directory)).toEqual([]);
    expect(endpointAggregate.decide(registration(1), directory)).toMatchObject({ refused: 'request_outdated' });
    expect(endpointAggregate.decide(sample.remove('e5000'), directory)).toEqual([]);
    expect(endpointAggregate.decide(sample.remove('e1'), directory)).toMatchObject({ refused: 'not_found' });
  });
});
