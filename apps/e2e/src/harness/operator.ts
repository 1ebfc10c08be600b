import { Account, expectBody } from './account';
import { ApiClient } from './client';
import type { RunningFlorin } from './running-florin';

export const allScopes = [
  'balance:read',
  'cards:read',
  'cards:reveal',
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
  /** What the company may use in live. */
  readonly activations?: readonly ('services' | 'direct_invoices')[];
}

/** A client of the operator API. */
export class Operator extends ApiClient {
  /** @param token required for a Florin that has stored no credentials. */
  constructor(
    private readonly florin: RunningFlorin,
    token = florin.credentials.operatorToken,
  ) {
    super(florin.baseUrl, token);
  }

  async newCompany({ kind = 'corporate', verification = 'approved', activations = [] }: CompanyTraits = {}) {
    const { id } = expectBody<{ id: string }>(
      await this.post('/operator/v1/companies', { name: 'Probe Limited', kind }),
      201,
    );
    expectBody(await this.post(`/operator/v1/companies/${id}/verification`, { status: verification }), 200);
    for (const capability of activations) {
      expectBody(await this.post(`/operator/v1/companies/${id}/activations`, { capability, active: true }), 200);
    }
    return id;
  }

  async newKey(
    companyId: string,
    environment: 'sandbox' | 'live' = 'sandbox',
    scopes: readonly string[] = allScopes,
  ): Promise<Account> {
    const body = { name: 'e2e', environment, scopes };
    const response = await this.post(`/operator/v1/companies/${companyId}/keys`, body);
    return new Account(this.florin.baseUrl, expectBody<{ key: string }>(response, 201).key);
  }

  /** A sandbox account of a new company, with this available amount. */
  async newAccount(amount?: string, traits?: CompanyTraits): Promise<Account> {
    const account = await this.newKey(await this.newCompany(traits));
    if (amount !== undefined) expectBody(await account.fund(amount), 201);
    return account;
  }

  resolve(reviewId: string, outcome: string, fields: object = {}) {
    const path = `/operator/v1/reviews/${reviewId}/resolve`;
    return this.post(path, { outcome, note: 'Asked the issuer', ...fields });
  }
}
