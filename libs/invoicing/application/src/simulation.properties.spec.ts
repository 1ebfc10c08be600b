import { checkSimulation, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import { InvoicingSimulation } from './testing/simulation/invoicing-simulation';
import { randomInvoicing } from './testing/simulation/random-invoicing';

afterEach(() => InvoicingSimulation.closeAll());

describe('any interleaving of requests, redeliveries, payments, blocks, reviews, crashes and restarts', () => {
  it(
    'ends every invoice, credits it at most once and for a reason, and loses no deposit',
    () => checkSimulation(randomInvoicing),
    randomFlowsTimeoutMs,
  );
});
