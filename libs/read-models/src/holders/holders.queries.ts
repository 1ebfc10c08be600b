import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { isUuid } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page, pageValues } from '../keyset-page';
import { storableText } from '../storable-text';
import { holdersProjection } from './holders.projection';
import { erased, type HolderFilter, type HolderView, type OwnedHolderView } from './holders.views';

/** A row as it comes out of Postgres: a time is a date, and what is absent is null. */
type Stored<View extends HolderView> = Omit<View, 'name' | 'email' | 'createdAt'> & {
  readonly name: string | null;
  readonly email: string | null;
  readonly createdAt: Date;
};

const holderColumns = 'id, name, email, kind, status, external_id AS "externalId", created_at AS "createdAt"';

const findHolder = {
  name: 'find-holder',
  text: `SELECT ${holderColumns} FROM read_models.holders WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

const findAnywhere = {
  name: 'find-holder-anywhere',
  text: `SELECT ${holderColumns}, company_id AS "companyId", environment FROM read_models.holders WHERE id = $1`,
};

const listText = (named: string) => `
  SELECT ${holderColumns} FROM read_models.holders
  WHERE company_id = $1 AND environment = $2
    AND ${named}
    AND ($4::text IS NULL OR kind = $4)
    AND ($5::text IS NULL OR status = $5)
    ${newestFirst('created_at', 6)}`;

/** A statement of its own for one external id: it has to use another index, whatever was asked for before. */
const listHolders = { name: 'list-holders', text: listText('$3::text IS NULL') };
const listByExternalId = { name: 'list-holders-by-external-id', text: listText('external_id = $3') };

/** Every answer shows all that was acknowledged before it was asked for. */
@Injectable()
export class HolderQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(owner: AccountOwner, id: string): Promise<HolderView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(holdersProjection.name);
    const values = [id, owner.companyId, owner.environment];
    const { rows } = await this.pool.query<Stored<HolderView>>({ ...findHolder, values });
    return rows.map(holderView)[0];
  }

  /** The newest first; all of them unless the page has a limit. */
  async list(owner: AccountOwner, filter: HolderFilter, page: Page = {}): Promise<readonly HolderView[]> {
    await this.readYourWrites.waitUntilCaughtUp(holdersProjection.name);
    const { kind, status, externalId } = filter;
    const named = externalId === undefined ? undefined : storableText(externalId);
    const values = [owner.companyId, owner.environment, named, kind, status, ...pageValues(page)];
    const query = named === undefined ? listHolders : listByExternalId;
    const { rows } = await this.pool.query<Stored<HolderView>>({ ...query, values });
    return rows.map(holderView);
  }

  /** Whosever the holder is: for operators only. */
  async findAnywhere(id: string): Promise<OwnedHolderView | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(holdersProjection.name);
    const { rows } = await this.pool.query<Stored<OwnedHolderView>>({ ...findAnywhere, values: [id] });
    const [row] = rows;
    return row && { ...holderView(row), companyId: row.companyId, environment: row.environment };
  }
}

function holderView({ id, kind, status, externalId, ...record }: Stored<HolderView>): HolderView {
  const name = record.name ?? erased;
  const email = record.email ?? erased;
  return { id, name, email, kind, status, externalId, createdAt: record.createdAt.toISOString() };
}
