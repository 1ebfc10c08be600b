import type { Capability, Environment, Scope } from '@florin/companies-domain';

/** Who asks, as the API key tells. Everything a company owns is reached through these two: company and environment. */
export interface Caller {
  readonly companyId: string;
  readonly companyName: string;
  readonly companyKind: 'individual' | 'corporate';
  readonly environment: Environment;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly activations: readonly Capability[];
}
