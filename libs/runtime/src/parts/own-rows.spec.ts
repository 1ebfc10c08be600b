import { apiKeyAggregate, approvalAggregate, companyAggregate, operatorAggregate } from '@florin/companies-domain';
import { rowsOf } from '@florin/database';
import { addressAggregate, invoiceAggregate } from '@florin/invoicing-domain';
import { accountAggregate } from '@florin/ledger-domain';
import { cardAggregate, holderAggregate, productAggregate } from '@florin/operations-domain';
import { endpointAggregate } from '@florin/webhooks-domain';
import { invoicingPart } from './invoicing.part';
import { operationsPart } from './operations.part';

describe('the rows of the database roles', () => {
  it.each([
    ['operations', operationsPart],
    ['invoicing', invoicingPart],
  ] as const)('of %s are the positions of its processes', (role, { processes = [] }) => {
    const names = processes.map(({ name }) => `process ${name}`);
    for (const table of ['event_store.subscriptions', 'event_store.subscription_shards']) {
      expect(rowsOf(role, table).flatMap(({ like = [] }) => like)).toEqual(names);
    }
  });

  it.each([
    ['ledger', [accountAggregate, companyAggregate, apiKeyAggregate, operatorAggregate, approvalAggregate]],
    ['operations', [cardAggregate, holderAggregate, productAggregate]],
    ['invoicing', [addressAggregate, invoiceAggregate]],
    ['webhook-dispatcher', [endpointAggregate]],
  ] as const)('of %s are the snapshots of its streams', (role, aggregates) => {
    const streams = aggregates.map(({ category }) => `${category}-%`);
    expect(rowsOf(role, 'event_store.snapshots').flatMap(({ like = [] }) => like)).toEqual(streams);
  });
});
