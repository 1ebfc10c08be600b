import type { RecordedEvent } from '@florin/event-sourcing';
import { testVaultKeys } from '@florin/kernel/testing';
import type { HolderCommand } from '@florin/operations-domain';
import type { WebhookEvent } from '@florin/webhooks-domain';
import fc from 'fast-check';
import { cardsProjection } from '../cards/cards.projection';
import { CardQueries } from '../cards/cards.queries';
import { cardCommands } from '../cards/testing/card-commands';
import { holdersProjection } from '../holders/holders.projection';
import { HolderQueries } from '../holders/holders.queries';
import { destroyKey, holderCommands, storeKeys } from '../holders/testing/holder-commands';
import { invoicesProjection } from '../invoices/invoices.projection';
import { InvoiceQueries } from '../invoices/invoices.queries';
import { invoiceCommands } from '../invoices/testing/invoice-commands';
import { operationsProjection } from '../operations/operations.projection';
import { OperationQueries } from '../operations/operations.queries';
import { operationCommands } from '../operations/testing/operation-commands';
import { upToDate } from '../testing/read-model-database';
import { TransactionQueries } from '../transactions/transactions.queries';
import { storedEvents, type WebhooksFixture, webhooksFixture } from './testing/webhooks-fixture';

jest.setTimeout(60_000);

let fixture: WebhooksFixture;

beforeAll(async () => {
  fixture = await webhooksFixture();
});
afterAll(() => fixture.database.close());
beforeEach(() => clear());

async function clear(): Promise<void> {
  await fixture.reset();
  await fixture.database.empty('operations', 'cards', 'transactions', 'holders', 'invoices');
}

const projections = {
  operation: operationsProjection,
  card: cardsProjection,
  holders: holdersProjection(testVaultKeys),
  invoices: invoicesProjection,
};

/** The object as the API returns it now. */
async function shown({ companyId, environment, type, data }: WebhookEvent): Promise<unknown> {
  const { reads } = fixture.database;
  const owner = { companyId, environment };
  const id = data.object.id as string;
  switch (type.split('.')[0]) {
    case 'operation':
      return new OperationQueries(reads, upToDate).find(owner, id);
    case 'card':
      return new CardQueries(reads, upToDate).find(owner, id);
    case 'transaction':
      return new TransactionQueries(reads, upToDate).find(owner, id);
    case 'invoice':
      return new InvoiceQueries(reads, upToDate).find(owner, id);
    default: {
      const holder = await new HolderQueries(reads, upToDate).find(owner, id);
      // Like `holderBody` of the HTTP API.
      const { createdAt: _, ...body } = holder!;
      return body;
    }
  }
}

/** Projects the history event by event and compares the published object with the API after each event. */
async function compare(events: readonly RecordedEvent[]): Promise<number> {
  let count = 0;
  const versions = new Map<unknown, number>();
  for (const event of events) {
    const category = event.stream.slice(0, event.stream.indexOf('-')) as keyof typeof projections;
    await fixture.database.project(projections[category], [event]);
    await fixture.project([event]);
    const published = await toldAt(event.position);
    for (const one of published) {
      expect(one.data.object).toEqual(await shown(one));
      expect(one.objectVersion).toBe((versions.get(one.data.object.id) ?? 0) + 1);
      versions.set(one.data.object.id, one.objectVersion);
    }
    count += published.length;
  }
  return count;
}

async function toldAt(position: bigint): Promise<readonly WebhookEvent[]> {
  const stored = (await storedEvents(fixture.database.pool)).filter((event) => event.position === position);
  return stored.map(({ body }) => JSON.parse(body) as WebhookEvent);
}

/** Four different histories, because a single one may publish no event. */
async function compareSome<C>(
  histories: fc.Arbitrary<readonly C[]>,
  run: (command: C) => Promise<unknown>,
  prepare: (history: readonly C[]) => Promise<void> = async () => undefined,
): Promise<void> {
  let published = 0;
  const property = fc.asyncProperty(histories, async (history) => {
    await clear();
    for (const command of history) await run(command);
    await prepare(history);
    published += await compare(await fixture.log.events());
  });
  // Shrinking a history would take longer than the test.
  await fc.assert(property, { numRuns: 4, endOnFailure: true });
  expect(published).toBeGreaterThan(0);
}

describe('a published object equals the object in the API', () => {
  it('for any operation', () => compareSome(operationCommands, (command) => fixture.log.operation(command)));

  it('for any card and payment', () => compareSome(cardCommands, (command) => fixture.log.card(command)));

  it('for any invoice', () => compareSome(invoiceCommands, (command) => fixture.log.invoice(command)));

  it('for any holder, including erased ones', async () => {
    let isFirst = true;
    const prepare = async (history: readonly HolderCommand[]): Promise<void> => {
      await storeKeys(fixture.database.pool);
      if (isFirst) await destroyKey(fixture.database.pool, history[0]!.data.holderId);
      isFirst = false;
    };
    await compareSome(holderCommands, (command) => fixture.log.holder(command), prepare);
  });
});
