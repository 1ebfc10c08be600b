import type { Capability, Environment, Scope } from '@florin/companies-domain';
import type { Cancellation } from '@florin/event-sourcing';

/** The owner of the API key. All objects of a company are scoped by company and environment. */
export interface Caller {
  readonly companyId: string;
  readonly companyName: string;
  readonly companyKind: 'individual' | 'corporate';
  readonly environment: Environment;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly activations: readonly Capability[];
  /** Present on a GET, which needs no result if its client has disconnected. */
  readonly disconnection?: Cancellation;
}
