import { Account, expectBody } from './account';
import { ApiClient } from './client';
import type { Product } from './product';

export const allScopes = [
  'balance:read',
  'cards:read',
  'cards:write',
  'funding:read',
  'funding:write',
  'holders:read',
  'holders:write',
  'operations:read',
  'services:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export interface CompanyTraits {
  readonly kind?: 'individual' | 'corporate';
  readonly verification?: 'pending' | 'approved' | 'rejected';
  /** For live services. */
  readonly services?: boolean;
}

/** The operator of a product, who lets companies in. */
export class Operator extends ApiClient {
  constructor(private readonly product: Product) {
    super(product.baseUrl, product.credentials.operatorToken);
  }

  async newCompany({ kind = 'corporate', verification = 'approved', services = false }: CompanyTraits = {}) {
    const { id } = expectBody<{ id: string }>(
      await this.post('/operator/v1/companies', { name: 'Probe Limited', kind }),
      201,
    );
    expectBody(await this.post(`/operator/v1/companies/${id}/verification`, { status: verification }), 200);
    if (services) {
      const activation = { capability: 'services', active: true };
      expectBody(await this.post(`/operator/v1/companies/${id}/activations`, activation), 200);
    }
    return id;
  }

  async newKey(
    companyId: string,
    environment: 'sandbox' | 'live' = 'sandbox',
    scopes: readonly string[] = allScopes,
  ): Promise<Account> {
    const wish = { name: 'e2e', environment, scopes };
    const reply = await this.post(`/operator/v1/companies/${companyId}/keys`, wish);
    return new Account(this.product.baseUrl, expectBody<{ key: string }>(reply, 201).key);
  }

  /** A sandbox account of a company of its own, with this much money. */
  async newAccount(amount?: string, traits?: CompanyTraits): Promise<Account> {
    const account = await this.newKey(await this.newCompany(traits));
    if (amount !== undefined) expectBody(await account.fund(amount), 201);
    return account;
  }

  resolve(operationId: string, outcome: string, fields: object = {}) {
    const path = `/operator/v1/reviews/${operationId}/resolve`;
    return this.post(path, { outcome, note: 'Asked the issuer', ...fields });
  }
}
