import { POOL } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { formatMoney, isUuid } from '@florin/kernel';
import type { OperationObject } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AccountOwner } from '../account-entries/account-entries.queries';
import { newestFirst, type Page, pageValues } from '../keyset-page';
import { operationsProjection } from './operations.projection';
import type { OperationFilter } from './operations.views';

/** A row as it comes out of Postgres: a bigint is text, a time is a date. */
type OperationRecord = Omit<OperationObject, 'result' | 'failure' | 'createdAt'> & {
  readonly result: OperationObject['result'] | null;
  readonly failure: OperationObject['failure'] | null;
  readonly createdAt: Date;
};

const operationColumns = 'id, type, status, amount, fee, total, result, failure, created_at AS "createdAt"';

const findOperation = {
  name: 'find-operation',
  text: `SELECT ${operationColumns} FROM read_models.operations WHERE id = $1 AND company_id = $2 AND environment = $3`,
};

/** Whoever asks for no card gives none. */
const ofAnyCard = '$5::uuid IS NULL';

const listText = (among: string) => `
  SELECT ${operationColumns} FROM read_models.operations
  WHERE company_id = $1 AND environment = $2
    AND ${among}
    AND ($3::text IS NULL OR type = $3)
    AND ($4::text IS NULL OR status = $4)
    AND created_at >= coalesce($6::timestamptz, '-infinity')
    ${newestFirst('created_at', 8, '$7')}`;

const listAll = { name: 'list-operations', text: listText(ofAnyCard) };
/** Statements of their own for what is rare: they have to use other indexes, whatever was asked for before. */
const listOfCard = { name: 'list-operations-of-card', text: listText('card_id = $5::uuid') };
const listOpen = { name: 'list-open-operations', text: listText(`${ofAnyCard} AND open`) };
const listFailed = { name: 'list-failed-operations', text: listText(`${ofAnyCard} AND failed`) };
const listByStatus = {
  queued: listOpen,
  processing: listOpen,
  manual_review: listOpen,
  failed: listFailed,
  completed: listAll,
} as const;

/** Every answer shows all that was acknowledged before it was asked for. */
@Injectable()
export class OperationQueries {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(owner: AccountOwner, id: string): Promise<OperationObject | undefined> {
    if (!isUuid(id)) return undefined;
    await this.readYourWrites.waitUntilCaughtUp(operationsProjection.name);
    const values = [id, owner.companyId, owner.environment];
    const { rows } = await this.pool.query<OperationRecord>({ ...findOperation, values });
    return rows.map(operationView)[0];
  }

  /** The newest first. */
  async list(owner: AccountOwner, filter: OperationFilter, page: Page): Promise<readonly OperationObject[]> {
    const { type, status, cardId, createdFrom, createdTo } = filter;
    if (cardId !== undefined && !isUuid(cardId)) return [];
    await this.readYourWrites.waitUntilCaughtUp(operationsProjection.name);
    const wanted = [type, status, cardId, createdFrom, createdTo];
    const values = [owner.companyId, owner.environment, ...wanted, ...pageValues(page)];
    const { rows } = await this.pool.query<OperationRecord>({ ...statementFor(filter), values });
    return rows.map(operationView);
  }
}

function statementFor({ cardId, status }: OperationFilter): typeof listAll {
  if (cardId !== undefined) return listOfCard;
  return status === undefined ? listAll : listByStatus[status];
}

function operationView({ result, failure, ...record }: OperationRecord): OperationObject {
  return {
    ...record,
    amount: formatMoney(BigInt(record.amount)),
    fee: formatMoney(BigInt(record.fee)),
    total: formatMoney(BigInt(record.total)),
    result: result ?? {},
    ...(failure && { failure }),
    createdAt: record.createdAt.toISOString(),
  };
}
