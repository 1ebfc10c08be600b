import type { Prisma } from '@florin/database';
import { isUuid, type Metadata } from '@florin/kernel';
import type { HolderKind, HolderStatus } from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { idsWithMetadata } from '../metadata-filter';
import { operators, type ReadConnection } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { storableText } from '../storable-text';
import { holdersProjectionName } from './holders.projection';

/** Replaces the name and the e-mail address of an erased holder. */
export const erased = '[erased]';

/** The cardholder as clients see it. */
export interface HolderView {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
  readonly metadata?: Metadata;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface HolderFilter {
  readonly kind?: HolderKind;
  readonly status?: HolderStatus;
  readonly externalId?: string;
  readonly metadata?: Metadata;
}

/** The same with its owner, for operators. */
export type OwnedHolderView = HolderView & {
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
};

@Injectable()
export class HolderQueries extends ReadModelQueries {
  async find(owner: AccountOwner, id: string): Promise<HolderView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp({ name: holdersProjectionName });
    const { companyId, environment } = owner;
    const where = { id, companyId, environment };
    const holder = await this.read(owner, ({ prisma }) => prisma.holder.findUnique({ where }));
    return holder === null ? undefined : holderView(holder);
  }

  /** Newest first; all of them unless the page has a limit. */
  async list(owner: AccountOwner, filter: HolderFilter, page: Page = {}): Promise<readonly HolderView[]> {
    if (!page.continued) await this.waitUntilCaughtUp({ name: holdersProjectionName });
    const { companyId, environment } = owner;
    const { kind, status, metadata } = filter;
    const external = filter.externalId === undefined ? undefined : spellingsOf(storableText(filter.externalId));
    const { where: position, ...sorted } = newestFirst('createdAt', page);
    const read = async (connection: ReadConnection) => {
      const equal = { kind, status, external_id: external };
      const known = { companyId, environment, equal };
      const ids = metadata && (await idsWithMetadata(connection, 'holders', { ...known, metadata }, page));
      const externalId = external && { in: external };
      const where = ids ? { id: { in: [...ids] } } : { companyId, environment, externalId, kind, status, ...position };
      return connection.prisma.holder.findMany({ where, ...sorted });
    };
    const holders = await this.read(owner, read, page);
    return holders.map(holderView);
  }

  /** A holder of any company, for operators. */
  async findAnywhere(id: string): Promise<OwnedHolderView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.waitUntilCaughtUp({ name: holdersProjectionName });
    const holder = await this.read(operators, ({ prisma }) => prisma.holder.findUnique({ where: { id } }));
    if (holder === null) return undefined;
    const environment = holder.environment as OwnedHolderView['environment'];
    return { ...holderView(holder), companyId: holder.companyId, environment };
  }
}

/** The Unicode forms of an external id. Older rows have the form that the client had sent. */
function spellingsOf(externalId: string): string[] {
  return [...new Set([externalId, externalId.normalize('NFC'), externalId.normalize('NFD')])];
}

function holderView({ id, externalId, ...holder }: Prisma.HolderGetPayload<object>): HolderView {
  return {
    id,
    name: holder.name ?? erased,
    email: holder.email ?? erased,
    kind: holder.kind as HolderKind,
    status: holder.status as HolderStatus,
    externalId,
    ...(holder.metadata !== null && { metadata: holder.metadata as Metadata }),
    createdAt: holder.createdAt.toISOString(),
    updatedAt: holder.updatedAt.toISOString(),
  };
}
