import {
  type AccountAudit,
  compareBalance,
  type Finding,
  lastPositionFor,
  type LogAudit,
  OperationsComparison,
} from '@florin/audit';
import type { CheckpointStore, EventStore, Position, Projection } from '@florin/event-sourcing';
import {
  accountEntriesProjection,
  accountOwnerOf,
  accountsWithStatement,
  operationsProjection,
  scanOperationStatuses,
  statementBalances,
} from '@florin/read-models';
import type { Pool, PoolClient } from 'pg';

export interface ReadModelSource {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly checkpoints: Pick<CheckpointStore<unknown>, 'position'>;
  readonly pool: Pool;
}

export interface ComparedReadModel {
  readonly name: string;
  /** Its position, if it is too far behind to be compared. */
  readonly behindAt?: Position;
  readonly flaws: readonly Finding[];
}

/** Compares the read models with the log, if they have caught up with it. */
export async function compareReadModels(
  audit: LogAudit,
  source: ReadModelSource,
  account?: string,
): Promise<readonly ComparedReadModel[]> {
  return [
    await compare(accountEntriesProjection, () => compareStatements(audit, source, account)),
    await compare(operationsProjection, () => compareOperations(audit, source, account)),
  ];

  // A projection that reached the last event that it handles is complete, even if other events follow.
  async function compare(projection: Projection<PoolClient>, run: () => Promise<readonly Finding[]>) {
    const { name } = projection;
    const reached = await source.checkpoints.position(name);
    if (reached < lastPositionFor(audit, projection)) return { name, behindAt: reached, flaws: [] };
    return { name, flaws: await run() };
  }
}

const batchSize = 500;

async function compareStatements(
  { ledger: { accounts } }: LogAudit,
  { pool, store }: ReadModelSource,
  only?: string,
): Promise<readonly Finding[]> {
  const flaws: Finding[] = [];
  for (const batch of inBatches([...accounts.values()], batchSize)) {
    const shown = new Map((await statementBalances(pool, batch)).map((balance) => [balance.stream, balance]));
    for (const account of batch) flaws.push(...compareBalance(account, shown.get(account.stream)));
  }
  if (only !== undefined) return flaws;
  for (const stream of await accountsWithStatement(pool)) {
    if (accounts.has(stream) || (await isInLog(store, stream))) continue;
    flaws.push({ at: stream, text: 'there is a statement, but the log has no such account' });
  }
  return flaws;
}

async function compareOperations(
  { ledger: { operations } }: LogAudit,
  { pool, store }: ReadModelSource,
  only?: string,
): Promise<readonly Finding[]> {
  const comparison = new OperationsComparison(operations);
  const owner = only === undefined ? undefined : accountOwnerOf(only);
  for await (const rows of scanOperationStatuses(pool, owner)) for (const row of rows) comparison.add(row);
  const flaws = [...comparison.close()];
  for (const id of comparison.unknown) {
    const stream = `operation-${id}`;
    if (await isInLog(store, stream)) continue;
    flaws.push({ at: stream, text: 'the list of operations shows it, but the log has no such operation' });
  }
  return flaws;
}

/** Finds streams that were written after the audit had read the log. */
async function isInLog(store: ReadModelSource['store'], stream: string): Promise<boolean> {
  for await (const events of store.readStream(stream)) if (events.length > 0) return true;
  return false;
}

function* inBatches(accounts: readonly AccountAudit[], size: number): Generator<readonly AccountAudit[]> {
  for (let from = 0; from < accounts.length; from += size) yield accounts.slice(from, from + size);
}
