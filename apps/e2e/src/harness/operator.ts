import { Account, expectBody } from './account';
import { ApiClient, type ApiResponse } from './client';
import type { RunningFlorin } from './running-florin';
import { until } from './until';

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
    const { id } = await this.require<{ id: string }>(201, '/operator/v1/companies', { name: 'Probe Limited', kind });
    await this.require(200, `/operator/v1/companies/${id}/verification`, { status: verification });
    for (const capability of activations) {
      await this.require(200, `/operator/v1/companies/${id}/activations`, { capability, active: true });
    }
    return id;
  }

  async newKey(
    companyId: string,
    environment: 'sandbox' | 'live' = 'sandbox',
    scopes: readonly string[] = allScopes,
  ): Promise<Account> {
    const body = { name: 'e2e', environment, scopes };
    const { key } = await this.require<{ key: string }>(201, `/operator/v1/companies/${companyId}/keys`, body);
    return new Account(this.florin.baseUrl, key);
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

  /** Repeats what is temporarily unavailable, as the API asks for: a machine that stalls must not fail a set-up. */
  private async require<Body>(status: number, path: string, body: object): Promise<Body> {
    const isAvailable = (response: ApiResponse): boolean => response.status !== 503 || this.warn(response);
    const response = await until('it is available', () => this.post(path, body), isAvailable, 30_000);
    return expectBody<Body>(response, status);
  }

  private warn({ text, body }: ApiResponse): false {
    const logged = this.florin.log.split('\n').filter((line) => line.includes(String(body['requestId'])));
    console.warn(['A request of the set-up is repeated:', text, ...logged].join('\n'));
    return false;
  }
}
