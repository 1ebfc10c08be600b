import {
  apiKeyAggregate,
  type Capability,
  companyAggregate,
  type CompanyKind,
  type Environment,
  type Scope,
  type VerificationStatus,
} from '@florin/companies-domain';
import { POOL, type Prisma } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { type Actor, isUuid } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { oldestFirst, type Page } from '../keyset-page';
import { operators, ReadDatabase } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { withoutNulls } from '../without-nulls';
import { companiesProjection } from './companies.projection';

/** All times in these views are ISO 8601 in UTC with milliseconds, so comparing two as text compares the instants. */
export interface CompanyView {
  readonly companyId: string;
  readonly name: string;
  readonly kind: CompanyKind;
  readonly verification: VerificationStatus;
  readonly activations: readonly Capability[];
  readonly createdAt: string;
}

/** An API key as operators and companies manage it. */
export interface ApiKeyDetails {
  readonly keyId: string;
  readonly companyId: string;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The last four characters of its newest secret. */
  readonly hint: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** Lags by some seconds. Null if the key was never used. */
  readonly lastUsedAt: string | null;
  /** Who did it. Absent if it has not happened, and for events of early releases. */
  readonly createdBy?: Actor;
  readonly rotatedBy?: Actor;
  readonly revokedBy?: Actor;
}

/** The data to authorize a request with this key. */
export interface ApiKeyView {
  readonly keyId: string;
  readonly companyId: string;
  readonly companyName: string;
  readonly companyKind: CompanyKind;
  readonly verification: VerificationStatus;
  readonly activations: readonly Capability[];
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  readonly name: string;
  readonly expiresAt: string;
  /** When the presented secret expires: with the key at the latest, earlier after a rotation. */
  readonly secretValidUntil: string;
  readonly revokedAt: string | null;
  /** Events of the key or its company could not be read, one of which may have revoked it. */
  readonly isOutdated: boolean;
}

type CompanyRecord = Prisma.CompanyGetPayload<object>;
type ApiKeyRecord = Prisma.ApiKeyGetPayload<object>;
type ActorsOfKey = Readonly<Record<'createdBy' | 'rotatedBy' | 'revokedBy', Actor | null>>;

/** A single statement, because every request with an uncached key waits for it. */
const keysBySecrets = {
  name: 'api-keys-by-secrets',
  text: `
    SELECT secrets.secret_hash AS "secretHash", keys.key_id AS "keyId", company_id AS "companyId", companies.name AS "companyName",
           companies.kind AS "companyKind", companies.verification, companies.activations,
           keys.environment, keys.scopes, keys.name,
           keys.expires_at AS "expiresAt", secrets.valid_until AS "secretValidUntil", keys.revoked_at AS "revokedAt",
           EXISTS (SELECT FROM event_store.set_aside_streams WHERE subscription = '${companiesProjection.name}' AND stream IN
             ('${apiKeyAggregate.category}-' || key_id, '${companyAggregate.category}-' || company_id)) AS "isOutdated"
    FROM read_models.api_key_secrets AS secrets
    JOIN read_models.api_keys AS keys USING (key_id)
    JOIN read_models.companies AS companies USING (company_id)
    WHERE secrets.secret_hash = ANY ($1)`,
};

type KeyBySecretRow = Omit<ApiKeyView, 'expiresAt' | 'secretValidUntil' | 'revokedAt'> & {
  readonly secretHash: string;
  readonly expiresAt: Date;
  readonly secretValidUntil: Date;
  readonly revokedAt: Date | null;
};

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export class CompanyQueries extends ReadModelQueries {
  /** Keys have their own connections: identifying a request must not wait for the reads of companies. */
  constructor(
    database: ReadDatabase,
    @Inject(READ_YOUR_WRITES) readYourWrites: ReadYourWrites,
    @Inject(POOL) private readonly pool: Pool,
  ) {
    super(database, readYourWrites);
  }

  /** In order of registration; all of them unless the page has a limit. */
  async list(page: Page = {}): Promise<readonly CompanyView[]> {
    if (!page.continued) await this.waitUntilCaughtUp(companiesProjection);
    const query = oldestFirst('createdAt', 'companyId', page);
    const companies = await this.read(operators, ({ prisma }) => prisma.company.findMany(query), page);
    return companies.map(companyView);
  }

  async find(companyId: string): Promise<CompanyView | undefined> {
    if (!isUuid(companyId)) return undefined;
    await this.waitUntilCaughtUp(companiesProjection);
    const company = await this.read(operators, ({ prisma }) => prisma.company.findUnique({ where: { companyId } }));
    return company === null ? undefined : companyView(company);
  }

  /** The keys of a company, including revoked and expired ones, in order of issue; all unless the page has a limit. */
  async keysOf(companyId: string, page: Page = {}): Promise<readonly ApiKeyDetails[]> {
    if (!isUuid(companyId)) return [];
    if (!page.continued) await this.waitUntilCaughtUp(companiesProjection);
    const { where, ...sorted } = oldestFirst('issuedAt', 'keyId', page);
    const query = { where: { companyId, ...where }, ...sorted };
    const keys = await this.read(operators, ({ prisma }) => prisma.apiKey.findMany(query), page);
    return this.details(keys);
  }

  async findKey(keyId: string): Promise<ApiKeyDetails | undefined> {
    if (!isUuid(keyId)) return undefined;
    await this.waitUntilCaughtUp(companiesProjection);
    const keys = await this.read(operators, ({ prisma }) => prisma.apiKey.findMany({ where: { keyId } }));
    const [details] = await this.details(keys);
    return details;
  }

  /**
   * The keys of these secrets, including expired and revoked ones: the caller checks the times. Omits unknown secrets. The
   * result may miss writes acknowledged less than `maxAgeMs` ago.
   */
  async findBySecretHashes(secretHashes: readonly string[], maxAgeMs = 0): Promise<ReadonlyMap<string, ApiKeyView>> {
    await this.readYourWrites.waitUntilCaughtUp(companiesProjection.name, maxAgeMs);
    const { rows } = await this.pool.query<KeyBySecretRow>({ ...keysBySecrets, values: [secretHashes] });
    return new Map(rows.map(({ secretHash, ...row }) => [secretHash, keyView(row)]));
  }

  private async details(keys: readonly ApiKeyRecord[]): Promise<readonly ApiKeyDetails[]> {
    const keyIds = keys.map(({ keyId }) => keyId);
    const where = { keyId: { in: keyIds } };
    const usage = await this.read(operators, ({ prisma }) => prisma.apiKeyUsage.findMany({ where }));
    const lastUse = new Map(usage.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
    return keys.map(({ createdBy, rotatedBy, revokedBy, ...key }) => ({
      ...key,
      ...withoutNulls({ createdBy, rotatedBy, revokedBy } as ActorsOfKey),
      environment: key.environment as Environment,
      scopes: key.scopes as Scope[],
      issuedAt: key.issuedAt.toISOString(),
      expiresAt: key.expiresAt.toISOString(),
      revokedAt: key.revokedAt?.toISOString() ?? null,
      lastUsedAt: lastUse.get(key.keyId)?.toISOString() ?? null,
    }));
  }
}

function keyView(row: Omit<KeyBySecretRow, 'secretHash'>): ApiKeyView {
  return {
    ...row,
    expiresAt: row.expiresAt.toISOString(),
    secretValidUntil: row.secretValidUntil.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}

function companyView(company: CompanyRecord): CompanyView {
  return {
    ...company,
    kind: company.kind as CompanyKind,
    verification: company.verification as VerificationStatus,
    activations: company.activations as Capability[],
    createdAt: company.createdAt.toISOString(),
  };
}
