import { PRISMA, type Prisma, type PrismaClient } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { isUuid } from '@florin/kernel';
import type { HolderKind, HolderStatus } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page } from '../keyset-page';
import { storableText } from '../storable-text';
import { holdersProjectionName } from './holders.projection';
import { erased, type HolderFilter, type HolderView, type OwnedHolderView } from './holders.views';

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class HolderQueries {
  constructor(
    @Inject(PRISMA) private readonly prisma: PrismaClient,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find({ companyId, environment }: AccountOwner, id: string): Promise<HolderView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(holdersProjectionName);
    const holder = await this.prisma.holder.findUnique({ where: { id, companyId, environment } });
    return holder === null ? undefined : holderView(holder);
  }

  /** Newest first; all of them unless the page has a limit. */
  async list(owner: AccountOwner, filter: HolderFilter, page: Page = {}): Promise<readonly HolderView[]> {
    await this.readYourWrites.waitUntilCaughtUp(holdersProjectionName);
    const { companyId, environment } = owner;
    const { kind, status } = filter;
    const externalId = filter.externalId === undefined ? undefined : storableText(filter.externalId);
    const { where, ...sorted } = newestFirst('createdAt', page);
    const holders = await this.prisma.holder.findMany({
      where: { companyId, environment, externalId, kind, status, ...where },
      ...sorted,
    });
    return holders.map(holderView);
  }

  /** A holder of any company, for operators. */
  async findAnywhere(id: string): Promise<OwnedHolderView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(holdersProjectionName);
    const holder = await this.prisma.holder.findUnique({ where: { id } });
    if (holder === null) return undefined;
    const environment = holder.environment as OwnedHolderView['environment'];
    return { ...holderView(holder), companyId: holder.companyId, environment };
  }
}

function holderView({ id, externalId, ...holder }: Prisma.HolderGetPayload<object>): HolderView {
  return {
    id,
    name: holder.name ?? erased,
    email: holder.email ?? erased,
    kind: holder.kind as HolderKind,
    status: holder.status as HolderStatus,
    externalId,
    createdAt: holder.createdAt.toISOString(),
  };
}
