import {
  type AccountAudit,
  compareBalance,
  lastPositionFor,
  type LogAudit,
  OperationsComparison,
  type Remark,
} from '@florin/audit';
import type { CheckpointStore, EventStore, Position, Projection } from '@florin/event-sourcing';
import {
  accountEntriesProjection,
  accountOwnerOf,
  accountsWithStatement,
  operationsProjection,
  shownOperationStatuses,
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
  /** Where it has got to, if that is not far enough to be compared. */
  readonly behindAt?: Position;
  readonly flaws: readonly Remark[];
}

/** What the read models show against what the log says, where they have caught up with it. */
export async function compareReadModels(
  audit: LogAudit,
  source: ReadModelSource,
  account?: string,
): Promise<readonly ComparedReadModel[]> {
  return [
    await compare(accountEntriesProjection, () => compareStatements(audit, source, account)),
    await compare(operationsProjection, () => compareOperations(audit, source, account)),
  ];

  // Whoever has got to the last of the events that it shows has shown them all, whatever else follows in the log.
  async function compare(projection: Projection<PoolClient>, run: () => Promise<readonly Remark[]>) {
    const { name } = projection;
    const reached = await source.checkpoints.position(name);
    if (reached < lastPositionFor(audit, projection)) return { name, behindAt: reached, flaws: [] };
    return { name, flaws: await run() };
  }
}

const accountsAtOnce = 500;

async function compareStatements(
  { books: { accounts } }: LogAudit,
  { pool, store }: ReadModelSource,
  only?: string,
): Promise<readonly Remark[]> {
  const flaws: Remark[] = [];
  for (const some of inPortions([...accounts.values()], accountsAtOnce)) {
    const shown = new Map((await statementBalances(pool, some)).map((balance) => [balance.stream, balance]));
    for (const account of some) flaws.push(...compareBalance(account, shown.get(account.stream)));
  }
  if (only !== undefined) return flaws;
  for (const stream of await accountsWithStatement(pool)) {
    if (accounts.has(stream) || (await isInLog(store, stream))) continue;
    flaws.push({ at: stream, text: 'there is a statement, but the log knows no such account' });
  }
  return flaws;
}

async function compareOperations(
  { books: { operations } }: LogAudit,
  { pool, store }: ReadModelSource,
  only?: string,
): Promise<readonly Remark[]> {
  const comparison = new OperationsComparison(operations);
  const owner = only === undefined ? undefined : accountOwnerOf(only);
  for await (const rows of shownOperationStatuses(pool, owner)) for (const row of rows) comparison.add(row);
  const flaws = [...comparison.close()];
  for (const id of comparison.unknown) {
    const stream = `operation-${id}`;
    if (await isInLog(store, stream)) continue;
    flaws.push({ at: stream, text: 'the list of operations shows it, but the log knows no such operation' });
  }
  return flaws;
}

/** What was written after the log was read is in it all the same. */
async function isInLog(store: ReadModelSource['store'], stream: string): Promise<boolean> {
  for await (const events of store.readStream(stream)) if (events.length > 0) return true;
  return false;
}

function* inPortions(accounts: readonly AccountAudit[], size: number): Generator<readonly AccountAudit[]> {
  for (let from = 0; from < accounts.length; from += size) yield accounts.slice(from, from + size);
}
