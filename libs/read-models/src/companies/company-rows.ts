import type { Capability, CompanyEvent, CompanyKind, VerificationStatus } from '@florin/companies-domain';
import { assert, assertNever } from '@florin/kernel';
import type { PoolClient } from 'pg';
import { upsertRows } from './upsert-rows';

export interface CompanyRow {
  readonly company_id: string;
  readonly name: string;
  readonly kind: CompanyKind;
  verification: VerificationStatus;
  activations: readonly Capability[];
  readonly created_at: string;
}

/** The rows of the companies in a batch, by id. */
export type CompanyRows = Map<string, CompanyRow>;

export async function loadCompanies(companyIds: readonly string[], tx: PoolClient): Promise<CompanyRows> {
  // As JSON, which keeps times as text, like in the events.
  const text = 'SELECT to_json(companies) AS row FROM read_models.companies WHERE company_id = ANY($1)';
  const { rows } = await tx.query<{ row: CompanyRow }>({ name: 'load-companies', text, values: [companyIds] });
  return new Map(rows.map(({ row }) => [row.company_id, row]));
}

export function applyCompanyEvent(rows: CompanyRows, { type, data }: CompanyEvent, recordedAt: string): void {
  const { companyId } = data;
  if (type === 'CompanyRegistered') {
    const { name, kind } = data;
    const created_at = recordedAt;
    rows.set(companyId, { company_id: companyId, name, kind, verification: 'pending', activations: [], created_at });
    return;
  }
  const row = rows.get(companyId);
  assert(row !== undefined, `${type} is about company ${companyId}, which no event before it has registered`);
  switch (type) {
    case 'VerificationChanged':
      row.verification = data.status;
      return;
    case 'ActivationChanged': {
      const others = row.activations.filter((capability) => capability !== data.capability);
      row.activations = data.active ? [...others, data.capability].sort() : others;
      return;
    }
    default:
      assertNever(type);
  }
}

export const saveCompanies = upsertRows<CompanyRow>('read_models.companies', 'company_id', [
  'company_id',
  'name',
  'kind',
  'verification',
  'activations',
  'created_at',
]);
