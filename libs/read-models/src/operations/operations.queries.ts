import type { Prisma } from '@florin/database';
import { formatMoney, isUuid } from '@florin/kernel';
import type {
  OperationFailure,
  OperationObject,
  OperationResult,
  OperationStatus,
  OperationType,
} from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { ReadModelQueries } from '../read-model-queries';
import { operationsProjection } from './operations.projection';
import type { OperationFilter } from './operations.views';

const columns = {
  ...{ id: true, type: true, status: true, amount: true, fee: true, total: true },
  ...{ result: true, failure: true, createdAt: true },
} as const;

@Injectable()
export class OperationQueries extends ReadModelQueries {
  async find(owner: AccountOwner, id: string): Promise<OperationObject | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp(operationsProjection);
    const { companyId, environment } = owner;
    const where = { id, companyId, environment };
    const query = { where, select: columns };
    const operation = await this.read(owner, ({ prisma }) => prisma.operation.findUnique(query));
    return operation === null ? undefined : operationObject(operation);
  }

  /** Newest first. */
  async list(owner: AccountOwner, filter: OperationFilter, page: Page): Promise<readonly OperationObject[]> {
    const { companyId, environment } = owner;
    const { type, status, cardId, createdFrom, createdTo } = filter;
    if (cardId !== undefined && !isUuid(cardId)) return [];
    await this.waitUntilCaughtUp(operationsProjection);
    const { where: position, ...sorted } = newestFirst('createdAt', page, { from: createdFrom, to: createdTo });
    const where = { companyId, environment, type, status, cardId, ...partialIndexOf(filter), ...position };
    const query = { where, ...sorted, select: columns };
    const operations = await this.read(owner, ({ prisma }) => prisma.operation.findMany(query));
    return operations.map(operationObject);
  }
}

/** Lets Postgres use the partial index of open, failed or completed operations. */
function partialIndexOf({ cardId, status }: OperationFilter): Prisma.OperationWhereInput {
  if (cardId !== undefined || status === undefined) return {};
  if (status === 'completed') return { open: false, failed: false };
  return status === 'failed' ? { failed: true } : { open: true };
}

function operationObject(operation: Prisma.OperationGetPayload<{ select: typeof columns }>): OperationObject {
  const { id, amount, fee, total, result, failure, createdAt } = operation;
  return {
    id,
    type: operation.type as OperationType,
    status: operation.status as OperationStatus,
    amount: formatMoney(amount),
    fee: formatMoney(fee),
    total: formatMoney(total),
    result: (result ?? {}) as OperationResult,
    ...(failure !== null && { failure: failure as unknown as OperationFailure }),
    createdAt: createdAt.toISOString(),
  };
}
