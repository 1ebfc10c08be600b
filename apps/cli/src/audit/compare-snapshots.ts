import type { Finding } from '@florin/audit';
import { apiKeyAggregate, approvalAggregate, companyAggregate, operatorAggregate } from '@florin/companies-domain';
import { categoryOf, checkSnapshot, type EventStore } from '@florin/event-sourcing';
import { addressAggregate, invoiceAggregate } from '@florin/invoicing-domain';
import type { AnyAggregate } from '@florin/kernel';
import { accountAggregate } from '@florin/ledger-domain';
import { cardAggregate, holderAggregate, productAggregate } from '@florin/operations-domain';
import { storedSnapshots } from '@florin/snapshot-store-postgres';
import { endpointAggregate } from '@florin/webhooks-domain';
import type { Pool } from 'pg';

const withSnapshots: readonly AnyAggregate[] = [
  ...[accountAggregate, companyAggregate, apiKeyAggregate, operatorAggregate, approvalAggregate],
  ...[cardAggregate, holderAggregate, productAggregate],
  ...[addressAggregate, invoiceAggregate, endpointAggregate],
];

/** The aggregates whose streams have snapshots, by category. */
export const snapshotAggregates: ReadonlyMap<string, AnyAggregate> = new Map(
  withSnapshots.map((aggregate) => [aggregate.category, aggregate]),
);

/** Compares snapshots with the log, of all streams or of these: a service that starts from a forged one has a wrong balance. */
export async function compareSnapshots(
  store: Pick<EventStore, 'readStream'>,
  pool: Pool,
  only?: string,
  streams?: Pick<ReadonlySet<string>, 'has'>,
): Promise<readonly Finding[]> {
  const flaws: Finding[] = [];
  for await (const snapshot of storedSnapshots(pool, only)) {
    if (streams?.has(snapshot.stream) === false) continue;
    const aggregate = snapshotAggregates.get(categoryOf(snapshot.stream));
    if (aggregate === undefined) continue;
    const problem = await checkSnapshot(aggregate, store, snapshot).catch(
      (error: unknown) => `it cannot be compared with the log: ${String(error)}`,
    );
    if (problem === undefined) continue;
    const remedy = 'Find out who wrote it, delete its row in event_store.snapshots, and restart the service';
    flaws.push({ at: snapshot.stream, text: `the snapshot is wrong: ${problem}. ${remedy}` });
  }
  return flaws;
}
