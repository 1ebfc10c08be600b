import {
  type Aggregate,
  assert,
  assertNever,
  decideRepeat,
  noRequests,
  type RecentRequests,
  refuse,
  rememberRequest,
} from '@florin/kernel';
import type { Capability } from '../scopes';
import {
  type CompanyAnswer,
  type CompanyCommand,
  type CompanyEvent,
  companyEventVersions,
  type CompanyKind,
  type CompanyRefusal,
  type VerificationStatus,
} from './company.messages';

export interface Company {
  readonly companyId: string;
  readonly name: string;
  readonly kind: CompanyKind;
  verification: VerificationStatus;
  readonly activations: Set<Capability>;
  /** The newest requests: a late repeat changes nothing. */
  readonly requests: RecentRequests<null>;
}

/** Undefined until the company is registered. */
export type CompanyState = Company | undefined;

export const companyAggregate: Aggregate<CompanyState, CompanyCommand, CompanyEvent, CompanyRefusal, CompanyAnswer> = {
  category: 'company',
  stateVersion: 1,
  versions: companyEventVersions,

  initialState: () => undefined,

  decide: ({ type, data }, company) => {
    if (type === 'RegisterCompany') {
      const { companyId, name, kind } = data;
      if (company === undefined) return [{ type: 'CompanyRegistered', data: { companyId, name, kind } }];
      if (company.name === name && company.kind === kind) return [];
      return refuse('company_exists', `Company ${companyId} is already registered, as ${company.kind} ${company.name}`);
    }
    if (company === undefined) return refuse('company_unknown', `There is no company ${data.companyId}`);
    const repeat = decideRepeat(company.requests, data.requestId, data.requestedAt);
    if (repeat !== undefined) return repeat;
    // Recorded even without a change, because otherwise a late duplicate could undo a newer decision.
    switch (type) {
      case 'SetVerification': {
        const { companyId, status, requestId, requestedAt } = data;
        return [{ type: 'VerificationChanged', data: { companyId, status, requestId, requestedAt } }];
      }
      case 'SetActivation': {
        const { companyId, capability, active, requestId, requestedAt } = data;
        return [{ type: 'ActivationChanged', data: { companyId, capability, active, requestId, requestedAt } }];
      }
      default:
        return assertNever(type);
    }
  },

  evolve: (company, { type, data }) => {
    if (type === 'CompanyRegistered') {
      return { ...data, verification: 'pending', activations: new Set(), requests: noRequests() };
    }
    assert(company !== undefined, `${type} precedes the registration of company ${data.companyId}`);
    const { requestId, requestedAt } = data;
    if (requestId !== undefined) rememberRequest(company.requests, requestId, requestedAt, null);
    switch (type) {
      case 'VerificationChanged':
        company.verification = data.status;
        return company;
      case 'ActivationChanged':
        if (data.active) company.activations.add(data.capability);
        else company.activations.delete(data.capability);
        return company;
      default:
        return assertNever(type);
    }
  },

  answer: companyAnswer,
};

export function companyAnswer(company: CompanyState): CompanyAnswer {
  assert(company !== undefined, 'an accepted command leaves a company');
  const { companyId, name, kind, verification, activations } = company;
  return { companyId, name, kind, verification, activations: [...activations].sort() };
}
