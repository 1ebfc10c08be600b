import {
  type AccountAudit,
  compareBalance,
  type Finding,
  lastPositionFor,
  type LogAudit,
  OperationsComparison,
} from '@florin/audit';
import type { EventStore, Position } from '@florin/event-sourcing';
import {
  accountEntriesProjection,
  accountOwnerOf,
  accountsWithStatement,
  comparedProjections,
  operationsProjection,
  type ReadModelDifferences,
  scanOperationStatuses,
  statementBalances,
} from '@florin/read-models/tools';
import type { Pool } from 'pg';

export interface ReadModelSource {
  readonly store: Pick<EventStore, 'readStream' | 'readAll' | 'head'>;
  readonly pool: Pool;
}

export interface ComparedReadModel {
  readonly name: string;
  /** Its position, if it has not processed all audited events yet. */
  readonly behindAt?: Position;
  /** It was rebuilt during the audit, so it was not compared. */
  readonly isRebuilt: boolean;
  readonly flaws: readonly Finding[];
}

/**
 * Compares the read models with the log: every row with what the projection's own code makes of the log, and in addition
 * statements and operations with the independent computation of the audit, if they have caught up with it.
 */
export async function compareReadModels(
  audit: LogAudit,
  differences: readonly ReadModelDifferences[],
  source: ReadModelSource,
  account?: string,
): Promise<readonly ComparedReadModel[]> {
  const independent: Readonly<Record<string, () => Promise<readonly Finding[]>>> = {
    [accountEntriesProjection.name]: () => compareStatements(audit, source, account),
    [operationsProjection.name]: () => compareOperations(audit, source, account),
  };
  const compared: ComparedReadModel[] = [];
  for (const { name, reached, isRebuilt, findings } of differences) {
    const projection = comparedProjections.find((one) => one.name === name)!;
    // A projection that reached the last event that it handles is complete, even if other events follow.
    const isBehind = reached < lastPositionFor(audit, projection);
    const totals = isBehind || isRebuilt ? [] : ((await independent[name]?.()) ?? []);
    compared.push({ name, isRebuilt, flaws: [...totals, ...findings], ...(isBehind && { behindAt: reached }) });
  }
  return compared;
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
