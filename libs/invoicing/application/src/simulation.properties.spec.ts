import { checkSimulation, randomFlowParts, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import { InvoicingSimulation } from './testing/simulation/invoicing-simulation';
import { randomInvoicing } from './testing/simulation/random-invoicing';

afterEach(() => InvoicingSimulation.closeAll());

describe('any interleaving of requests, redeliveries, payments, blocks, reviews, crashes and restarts', () => {
  it.each(randomFlowParts)(
    'ends every invoice, credits it at most once and for a reason, and loses no deposit (part %i)',
    (part) => checkSimulation(randomInvoicing, part),
    randomFlowsTimeoutMs,
  );
});
