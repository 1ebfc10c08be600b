import type { OperatorRole } from '@florin/companies-domain';
import type { Prisma } from '@florin/database';
import { StaleReadModel } from '@florin/event-sourcing';
import { type Actor, isUuid } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import { erased } from '../holders/holders.queries';
import { oldestFirst, type Page } from '../keyset-page';
import { operators, signIn } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { withoutNulls } from '../without-nulls';
import { operatorsProjectionName } from './operators.projection';

/** An operator without the hash of the token. Actors are absent if the event does not name one. */
export interface OperatorView {
  readonly operatorId: string;
  readonly name: string;
  readonly email: string;
  readonly role: OperatorRole;
  /** Absent if the role is the first one. */
  readonly roleChangedAt?: string;
  readonly roleChangedBy?: Actor;
  /** The last four characters of the current token. */
  readonly hint: string;
  readonly createdAt: string;
  readonly createdBy?: Actor;
  readonly rotatedAt?: string;
  readonly rotatedBy?: Actor;
  /** Absent while the operator is enabled. */
  readonly disabledAt?: string;
  readonly disabledBy?: Actor;
}

@Injectable()
export class OperatorQueries extends ReadModelQueries {
  /** In order of creation, including disabled ones; all of them unless the page has a limit. */
  async list(page: Page = {}): Promise<readonly OperatorView[]> {
    if (!page.continued) await this.waitUntilCaughtUp({ name: operatorsProjectionName });
    const query = oldestFirst('createdAt', 'operatorId', page);
    const found = await this.read(operators, ({ prisma }) => prisma.operator.findMany(query), page);
    return found.map(operatorView);
  }

  async find(operatorId: string): Promise<OperatorView | undefined> {
    if (!isUuid(operatorId)) return undefined;
    await this.waitUntilCaughtUp({ name: operatorsProjectionName });
    const operator = await this.read(operators, ({ prisma }) => prisma.operator.findUnique({ where: { operatorId } }));
    return operator === null ? undefined : operatorView(operator);
  }

  /**
   * The operators with these current tokens, including disabled ones. Omits unknown tokens. Rejects if an event of the operators
   * could not be read, because it may have disabled one of them.
   */
  async findByTokenHashes(tokenHashes: readonly string[]): Promise<ReadonlyMap<string, OperatorView>> {
    await this.waitUntilCaughtUp({ name: operatorsProjectionName });
    const setAside = 'SELECT FROM event_store.set_aside_streams WHERE subscription = $1';
    const { rowCount } = await this.read(signIn, ({ pool }) => pool.query(setAside, [operatorsProjectionName]));
    if (rowCount !== 0) throw new StaleReadModel(operatorsProjectionName);
    const where = { tokenHash: { in: [...tokenHashes] } };
    const found = await this.read(signIn, ({ prisma }) => prisma.operator.findMany({ where }));
    return new Map(found.map((operator) => [operator.tokenHash, operatorView(operator)]));
  }
}

function operatorView(operator: Prisma.OperatorGetPayload<object>): OperatorView {
  const { tokenHash: _hash, revision: _revision, name, email, ...row } = operator;
  return {
    ...withoutNulls({
      ...row,
      createdBy: row.createdBy as Actor | null,
      roleChangedBy: row.roleChangedBy as Actor | null,
      rotatedBy: row.rotatedBy as Actor | null,
      disabledBy: row.disabledBy as Actor | null,
      roleChangedAt: row.roleChangedAt?.toISOString() ?? null,
      rotatedAt: row.rotatedAt?.toISOString() ?? null,
      disabledAt: row.disabledAt?.toISOString() ?? null,
    }),
    name: name ?? erased,
    email: email ?? erased,
    role: row.role as OperatorRole,
    createdAt: row.createdAt.toISOString(),
  };
}
