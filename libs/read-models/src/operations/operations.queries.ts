import type { Prisma } from '@florin/database';
import { formatMoney, isUuid, type Metadata } from '@florin/kernel';
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
import { newestIds } from './newest-operations.query';
import { operationsProjection } from './operations.projection';
import type { OperationFilter } from './operations.views';

const columns = {
  ...{ id: true, environment: true, type: true, status: true, amount: true, fee: true, total: true },
  ...{ productId: true, holderId: true, cardId: true, name: true, recipient: true, metadata: true },
  ...{ result: true, failure: true, createdAt: true, updatedAt: true },
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

  /** How many operations of the card have not ended. */
  async countUnfinished(owner: AccountOwner, cardId: string): Promise<number> {
    if (!isUuid(cardId)) return 0;
    await this.waitUntilCaughtUp(operationsProjection);
    const { companyId, environment } = owner;
    const where = { companyId, environment, cardId, open: true };
    return this.read(owner, ({ prisma }) => prisma.operation.count({ where }));
  }

  /** Newest first. */
  async list(owner: AccountOwner, filter: OperationFilter, page: Page): Promise<readonly OperationObject[]> {
    if (filter.cardId !== undefined && !isUuid(filter.cardId)) return [];
    await this.waitUntilCaughtUp(operationsProjection);
    const operations = await this.read(owner, async (connection) => {
      const ids = await newestIds(connection, owner, filter, page);
      const { orderBy } = newestFirst('createdAt', page);
      return connection.prisma.operation.findMany({ where: { id: { in: [...ids] } }, orderBy, select: columns });
    });
    return operations.map(operationObject);
  }
}

function operationObject(operation: Prisma.OperationGetPayload<{ select: typeof columns }>): OperationObject {
  const { id, amount, fee, total, productId, result, failure, createdAt, updatedAt } = operation;
  const { holderId, cardId, name, recipient, metadata } = operation;
  // The card of an issue does not exist before.
  const hasCard = cardId !== null && (operation.type !== 'issue' || operation.status === 'completed');
  return {
    id,
    environment: operation.environment as OperationObject['environment'],
    type: operation.type as OperationType,
    status: operation.status as OperationStatus,
    amount: formatMoney(amount),
    fee: formatMoney(fee),
    total: formatMoney(total),
    currency: 'USD',
    productId,
    ...(holderId !== null && { holderId }),
    ...(hasCard && { cardId }),
    ...(name !== null && { name }),
    ...(recipient !== null && { recipient }),
    ...(metadata !== null && { metadata: metadata as Metadata }),
    result: (result ?? {}) as OperationResult,
    ...(failure !== null && { failure: failure as unknown as OperationFailure }),
    createdAt: createdAt.toISOString(),
    // The row of a queued operation has the time since which it waits to be started.
    updatedAt: (operation.status === 'queued' ? createdAt : updatedAt).toISOString(),
  };
}
