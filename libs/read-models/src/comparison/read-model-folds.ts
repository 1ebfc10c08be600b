import { apiKeyEventVersions, approvalEventVersions, companyEventVersions } from '@florin/companies-domain';
import { companyAggregate, operatorEventVersions } from '@florin/companies-domain';
import { categoryOf, eventCodec } from '@florin/event-sourcing';
import { addressEventVersions, invoiceEventVersions } from '@florin/invoicing-domain';
import { KeyRing } from '@florin/kernel';
import { holderEventVersions } from '@florin/operations-domain';
import { type AcceptedRequestRow, acceptedRequestIn } from '../accepted-requests/accepted-requests.projection';
import { accountEntriesIn } from '../account-entries/account-entries.projection';
import { type AdjustmentRows, applyAdjustment } from '../adjustments/adjustments.projection';
import { readModels } from '../all-projections';
import { applyApprovalEvent, type ApprovalRows } from '../approvals/approval-rows';
import { type ApiKeyRows, applyApiKeyEvent } from '../companies/api-key-rows';
import { applyCompanyEvent, type CompanyRows } from '../companies/company-rows';
import { applyToDeposits, type DepositRows } from '../deposits/deposit-rows';
import { applyHolderEvent, type HolderRows } from '../holders/holder-rows';
import { applyInvoiceEvent, type InvoiceRows } from '../invoices/invoice-rows';
import type { OperationRows } from '../operations/operation-rows';
import { applyToOperations } from '../operations/operations.projection';
import { applyOperatorEvent, type OperatorRows } from '../operators/operator-rows';
import { applyProductEvent, type ProductRows } from '../products/products.projection';
import { foldCards } from './fold-cards';
import type { ReadModelFold } from './folded-table';
import { forgotten } from './forgotten-rows';

/** The value of a column that only the keys of the vault could reveal. It is not compared. */
export const sealed = Symbol('sealed');

/** By the name of the projection. */
export const readModelFolds: Readonly<Record<string, () => ReadModelFold>> = {
  companies: foldCompanies,
  operators: foldOperators,
  products: () => {
    const rows: ProductRows = new Map();
    return {
      tables: [{ name: 'products', key: ['id'], rows }],
      apply: (recorded) => applyProductEvent(rows, recorded),
    };
  },
  holders: foldHolders,
  'account-entries': foldAccountEntries,
  operations: foldOperations,
  cards: foldCards,
  invoices: () => {
    const rows: InvoiceRows = new Map();
    const codec = eventCodec(invoiceEventVersions);
    return {
      tables: [{ name: 'invoices', key: ['id'], rows, forgotten: forgotten() }],
      apply: (recorded) => {
        const { event, metadata } = codec.decode(recorded);
        applyInvoiceEvent(rows, event, recorded.revision, metadata.recordedAt, metadata.actor);
      },
    };
  },
  deposits: () => {
    const rows: DepositRows = new Map();
    const codec = eventCodec(addressEventVersions);
    return {
      tables: [{ name: 'deposits', key: ['id'], rows, forgotten: forgotten() }],
      apply: (recorded) => {
        const { event, metadata } = codec.decode(recorded);
        applyToDeposits(rows, event, recorded.revision, metadata.recordedAt, metadata.actor);
      },
    };
  },
  approvals: () => {
    const rows: ApprovalRows = new Map();
    const codec = eventCodec(approvalEventVersions);
    return {
      tables: [{ name: 'approvals', key: ['id'], rows }],
      apply: (recorded) => {
        const { event, metadata } = codec.decode(recorded);
        applyApprovalEvent(rows, event, recorded.revision, metadata.recordedAt);
      },
    };
  },
  adjustments: () => {
    const rows: AdjustmentRows = new Map();
    return {
      tables: [{ name: 'adjustments', key: ['id'], rows }],
      apply: (recorded) => applyAdjustment(rows, recorded),
    };
  },
  'accepted-requests': () => {
    const rows = new Map<string, AcceptedRequestRow>();
    const known = forgotten();
    return {
      tables: [{ name: 'accepted_requests', key: ['id'], rows, forgotten: known }],
      apply: (recorded) => {
        const row = acceptedRequestIn(recorded);
        if (row !== undefined && !rows.has(row.id) && !known.ids.has(row.id)) rows.set(row.id, row);
      },
    };
  },
};

/** The projections that are compared. Without keys, because the comparison must not need them. */
export const comparedProjections = readModels(new KeyRing([])).map(({ projection }) => projection);

function foldCompanies(): ReadModelFold {
  const companies: CompanyRows = new Map();
  const keys: ApiKeyRows = new Map();
  const keyRows = new Map<string, object>();
  const secretRows = new Map<string, object>();
  const companyCodec = eventCodec(companyEventVersions);
  const keyCodec = eventCodec(apiKeyEventVersions);
  return {
    tables: [
      { name: 'companies', key: ['company_id'], rows: companies },
      { name: 'api_keys', key: ['key_id'], rows: keyRows },
      { name: 'api_key_secrets', key: ['secret_hash'], rows: secretRows },
    ],
    apply: (recorded) => {
      if (categoryOf(recorded.stream) === companyAggregate.category) {
        const { event, metadata } = companyCodec.decode(recorded);
        return applyCompanyEvent(companies, event, metadata.recordedAt);
      }
      const { event, metadata } = keyCodec.decode(recorded);
      applyApiKeyEvent(keys, event, metadata.actor ?? null);
    },
    complete: () => {
      for (const [key_id, { row, secrets }] of keys) {
        keyRows.set(key_id, row);
        for (const [secret_hash, valid_until] of secrets)
          secretRows.set(secret_hash, { secret_hash, key_id, valid_until });
      }
    },
  };
}

function foldOperators(): ReadModelFold {
  const rows: OperatorRows = new Map();
  const codec = eventCodec(operatorEventVersions);
  return {
    tables: [{ name: 'operators', key: ['operator_id'], rows }],
    apply: (recorded) => {
      const { event, metadata } = codec.decode(recorded);
      const { recordedAt, actor = null } = metadata;
      applyOperatorEvent(rows, new Map(), event, { revision: recorded.revision, recordedAt, actor });
    },
    complete: () => {
      for (const row of rows.values()) Object.assign(row, { name: sealed, email: sealed });
    },
  };
}

function foldHolders(): ReadModelFold {
  const rows: HolderRows = new Map();
  const erased = new Set<string>();
  const codec = eventCodec(holderEventVersions);
  return {
    tables: [{ name: 'holders', key: ['id'], rows }],
    apply: (recorded) => {
      const { event, metadata } = codec.decode(recorded);
      const { recordedAt } = metadata;
      applyHolderEvent(rows, new Map(), event, { revision: recorded.revision, recordedAt });
      if (event.type === 'HolderErased') erased.add(event.data.holderId);
    },
    complete: () => {
      for (const [id, row] of rows) {
        if (!erased.has(id)) Object.assign(row, { name: sealed, email: sealed, metadata: sealed });
      }
    },
  };
}

function foldAccountEntries(): ReadModelFold {
  const rows = new Map<string, object>();
  return {
    tables: [
      {
        name: 'account_entries',
        key: ['company_id', 'environment', 'sequence'],
        appendedBy: 'created_at',
        rows,
      },
    ],
    apply: (recorded) => {
      for (const row of accountEntriesIn(recorded)) rows.set(row.id!, row);
    },
  };
}

function foldOperations(): ReadModelFold {
  const rows: OperationRows = new Map();
  const known = forgotten();
  return {
    tables: [{ name: 'operations', key: ['id'], rows, forgotten: known }],
    apply: (recorded) => {
      const accepted: OperationRows = new Map();
      applyToOperations(accepted, rows, recorded);
      for (const [id, row] of accepted) if (!rows.has(id) && !known.ids.has(id)) rows.set(id, row);
    },
  };
}
