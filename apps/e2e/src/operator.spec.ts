import { ApiClient, type ApiResponse } from './harness/client';
import { sharedFlorin } from './harness/florin';
import type { RunningFlorin } from './harness/running-florin';

describe('the operator API', () => {
  let florin: RunningFlorin;
  let operator: ApiClient;
  const withKey = (key: unknown): ApiClient => new ApiClient(florin.baseUrl, String(key));
  const codeOf = ({ status, body }: ApiResponse): unknown[] => [status, body['code']];

  beforeAll(async () => {
    florin = await sharedFlorin();
    operator = new ApiClient(florin.baseUrl, florin.credentials.operatorToken);
  });

  async function newCompany(kind = 'corporate'): Promise<string> {
    const { body } = await operator.post('/operator/v1/companies', { name: 'Probe Ltd', kind });
    return String(body['id']);
  }

  async function newKey(companyId: string, fields: object = {}): Promise<{ id: string; key: string }> {
    const body = { name: 'test', environment: 'sandbox', scopes: ['balance:read', 'cards:write'], ...fields };
    const response = await operator.post(`/operator/v1/companies/${companyId}/keys`, body);
    expect(response.status).toBe(201);
    return response.body as { id: string; key: string };
  }

  const approve = (companyId: string): Promise<ApiResponse> =>
    operator.post(`/operator/v1/companies/${companyId}/verification`, { status: 'approved' });

  it('rejects every other key', async () => {
    const [acme] = florin.credentials.companies;
    for (const client of [new ApiClient(florin.baseUrl, undefined), withKey('wrong'), withKey(acme!.keys.live)]) {
      expect(codeOf(await client.get('/operator/v1/companies'))).toEqual([401, 'invalid_key']);
    }
  });

  it('shows the two demo companies', async () => {
    const { body } = await operator.get('/operator/v1/companies');
    const demoIds = florin.credentials.companies.map(({ id }) => id);
    const companies = body['data'] as { id: string; activations: string[] }[];
    const [acme, ida, ...others] = companies.filter(({ id }) => demoIds.includes(id));
    expect(acme).toMatchObject({ name: 'Acme Corporation', kind: 'corporate', verification: 'approved' });
    expect(ida).toMatchObject({ name: 'Ida Individual', kind: 'individual', verification: 'approved' });
    expect(others).toEqual([]);
    expect(acme!.activations.sort()).toEqual(['direct_invoices', 'services']);
  });

  it('registers a company whose keys work as soon as it is approved', async () => {
    const companyId = await newCompany();
    const { key } = await newKey(companyId);
    expect(key).toMatch(/^fl_test_/);
    expect(codeOf(await withKey(key).get('/api/v1/balance'))).toEqual([403, 'verification_required']);
    expect((await approve(companyId)).body).toMatchObject({ id: companyId, verification: 'approved' });
    expect((await withKey(key).get('/api/v1/balance')).status).toBe(200);
    await operator.post(`/operator/v1/companies/${companyId}/verification`, { status: 'rejected' });
    expect(codeOf(await withKey(key).get('/api/v1/balance'))).toEqual([403, 'verification_required']);
  });

  it('limits a key to its scopes', async () => {
    const companyId = await newCompany();
    await approve(companyId);
    const { key } = await newKey(companyId, { scopes: ['cards:write'] });
    expect(codeOf(await withKey(key).get('/api/v1/balance'))).toEqual([403, 'scope_missing']);
    expect((await withKey(key).fund('1')).status).toBe(201);
  });

  it('rotates a key with and without an overlap', async () => {
    const companyId = await newCompany();
    await approve(companyId);
    const first = await newKey(companyId);
    const second = (await operator.post(`/operator/v1/keys/${first.id}/rotate`, { overlapHours: 1 })).body;
    expect(second['key']).not.toBe(first.key);
    for (const key of [first.key, second['key']]) expect((await withKey(key).get('/api/v1/balance')).status).toBe(200);
    const third = (await operator.post(`/operator/v1/keys/${first.id}/rotate`, { overlapHours: 0 })).body;
    for (const key of [first.key, second['key']]) {
      expect(codeOf(await withKey(key).get('/api/v1/balance'))).toEqual([401, 'invalid_key']);
    }
    expect((await withKey(third['key']).get('/api/v1/balance')).status).toBe(200);
  });

  it('revokes a key', async () => {
    const companyId = await newCompany();
    await approve(companyId);
    const { id, key } = await newKey(companyId);
    expect((await withKey(key).get('/api/v1/balance')).status).toBe(200);
    expect((await operator.post(`/operator/v1/keys/${id}/revoke`)).body).toMatchObject({
      id,
      revokedAt: expect.any(String),
    });
    expect(codeOf(await withKey(key).get('/api/v1/balance'))).toEqual([401, 'invalid_key']);
  });

  it.each([
    ['a company of another kind', '/operator/v1/companies', { name: 'X', kind: 'charity' }],
    ['a company without a name', '/operator/v1/companies', { kind: 'corporate' }],
    ['an unknown field', '/operator/v1/companies', { name: 'X', kind: 'corporate', colour: 'red' }],
    ['text with a NUL character', '/operator/v1/companies', { name: 'a\u0000b', kind: 'corporate' }],
  ])('rejects %s', async (_, path, body) => {
    expect(codeOf(await operator.post(path, body))).toEqual([400, 'validation_failed']);
  });

  it.each(['yesterday', '2020-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00'])(
    'rejects a key that expires %s',
    async (expiresAt) => {
      const path = `/operator/v1/companies/${await newCompany()}/keys`;
      const body = { name: 'test', environment: 'sandbox', scopes: ['cards:read'], expiresAt };
      expect(codeOf(await operator.post(path, body))).toEqual([400, 'validation_failed']);
      expect((await operator.get('/operator/v1/companies')).status).toBe(200);
    },
  );

  it('returns 404 for an unknown company or key', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect(codeOf(await operator.post(`/operator/v1/companies/${id}/verification`, { status: 'approved' }))).toEqual([
      404,
      'not_found',
    ]);
    expect(codeOf(await operator.post(`/operator/v1/keys/${id}/revoke`))).toEqual([404, 'not_found']);
  });

  it('separates companies and environments', async () => {
    const [one, two] = [await newCompany(), await newCompany()];
    await Promise.all([approve(one), approve(two)]);
    const [mine, theirs] = [await newKey(one), await newKey(two)];
    const live = await newKey(one, { environment: 'live' });
    expect(live.key).toMatch(/^fl_live_/);
    await withKey(mine.key).fund('5');
    expect(await withKey(mine.key).balance()).toMatchObject({ balance: '5.00', environment: 'sandbox' });
    expect(await withKey(theirs.key).balance()).toMatchObject({ balance: '0.00' });
    expect(await withKey(live.key).balance()).toMatchObject({ balance: '0.00', environment: 'live' });
  });
});
