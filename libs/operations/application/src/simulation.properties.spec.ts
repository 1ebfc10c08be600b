import { checkSimulation, randomFlowParts, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import { OperationsSimulation } from './testing/simulation/operations-simulation';
import { randomOperations } from './testing/simulation/random-operations';
import { historyOf } from './testing/simulation/sample-companies';

afterEach(() => OperationsSimulation.closeAll());

describe('any interleaving of requests, repeats, redeliveries, reviews, crashes and restarts', () => {
  it.each(randomFlowParts)(
    'ends every operation, calls the issuer at most once per operation, and neither creates nor loses money (part %i)',
    async (part) => checkSimulation(randomOperations(await historyOf('400.00')), part),
    randomFlowsTimeoutMs,
  );
});
