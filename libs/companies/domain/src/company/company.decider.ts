import { assert, assertNever, type Decider, refuse } from '@florin/kernel';
import type { Capability } from '../scopes';
import type {
  CompanyAnswer,
  CompanyCommand,
  CompanyEvent,
  CompanyKind,
  CompanyRefusal,
  VerificationStatus,
} from './company.messages';

export interface Company {
  readonly companyId: string;
  readonly name: string;
  readonly kind: CompanyKind;
  verification: VerificationStatus;
  readonly activations: Set<Capability>;
  /** Every request that was granted: a repeat changes nothing, however late it comes. */
  readonly granted: Set<string>;
}

/** Nothing until the company is registered. */
export type CompanyState = Company | undefined;

export const companyDecider: Decider<CompanyState, CompanyCommand, CompanyEvent, CompanyRefusal> = {
  category: 'company',

  initialState: () => undefined,

  decide: ({ type, data }, company) => {
    if (type === 'RegisterCompany') {
      const { companyId, name, kind } = data;
      if (company === undefined) return [{ type: 'CompanyRegistered', data: { companyId, name, kind } }];
      if (company.name === name && company.kind === kind) return [];
      return refuse('company_exists', `Company ${companyId} is registered already, as ${company.kind} ${company.name}`);
    }
    if (company === undefined) return refuse('company_unknown', `There is no company ${data.companyId}`);
    if (company.granted.has(data.requestId)) return [];
    // What is so already is noted all the same, or a duplicate that arrives late could undo what was decided since.
    switch (type) {
      case 'SetVerification': {
        const { companyId, status, requestId } = data;
        return [{ type: 'VerificationChanged', data: { companyId, status, requestId } }];
      }
      case 'SetActivation': {
        const { companyId, capability, active, requestId } = data;
        return [{ type: 'ActivationChanged', data: { companyId, capability, active, requestId } }];
      }
      default:
        return assertNever(type);
    }
  },

  evolve: (company, { type, data }) => {
    if (type === 'CompanyRegistered') {
      return { ...data, verification: 'pending', activations: new Set(), granted: new Set() };
    }
    assert(company !== undefined, `${type} comes before the registration of company ${data.companyId}`);
    if (data.requestId !== undefined) company.granted.add(data.requestId);
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
};

export function companyAnswer(company: CompanyState): CompanyAnswer {
  assert(company !== undefined, 'an accepted command leaves a company behind');
  const { companyId, name, kind, verification, activations } = company;
  return { companyId, name, kind, verification, activations: [...activations].sort() };
}
