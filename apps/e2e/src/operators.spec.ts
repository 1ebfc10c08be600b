import { randomUUID } from 'node:crypto';
import { codeOf, expectBody } from './harness/account';
import { ApiClient } from './harness/client';
import { EventLog } from './harness/event-log';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import { issue } from './harness/orders';
import type { RunningFlorin } from './harness/running-florin';

type Role = 'viewer' | 'support' | 'finance' | 'admin';

interface Issued {
  readonly id: string;
  readonly token: string;
}

interface Listed {
  readonly id: string;
  readonly createdBy?: object;
  readonly disabledBy?: object;
}

const root = '/operator/v1/operators';
const bootstrap = { kind: 'operator', id: 'bootstrap' };

describe('operators', () => {
  let florin: RunningFlorin;
  let operator: Operator;
  let log: EventLog;

  beforeAll(async () => {
    florin = await sharedFlorin();
    operator = new Operator(florin);
    log = new EventLog(florin);
  });

  afterAll(() => log.close());

  const person = (role: Role, email = `${randomUUID()}@operators.example`) => ({ name: 'Wanda Watchful', email, role });
  const created = async (role: Role) => expectBody<Issued>(await operator.post(root, person(role)), 201);
  const as = ({ token }: Issued) => new Operator(florin, token);

  it('may do what their role allows, and the event log names them', async () => {
    const [viewer, support, finance, admin] = [
      ...[await created('viewer'), await created('support'), await created('finance'), await created('admin')],
    ] as const;
    const companyId = await as(admin).newCompany();
    const account = await as(admin).newKey(companyId);
    const holderId = await account.newHolder();
    const activate = (who: Issued) => as(who).post(`/operator/v1/holders/${holderId}/status`, { status: 'active' });

    for (const who of [viewer, support, finance, admin]) {
      expect((await as(who).get('/operator/v1/companies')).status).toBe(200);
    }
    expect((await activate(support)).status).toBe(200);
    for (const who of [viewer, finance]) expect(codeOf(await activate(who))).toEqual([403, 'scope_missing']);
    for (const who of [viewer, support, finance]) {
      expect(codeOf(await as(who).post(root, person('admin')))).toEqual([403, 'scope_missing']);
      expect((await as(who).get(root)).status).toBe(200);
    }

    await account.fund('100.00');
    const { id: operationId } = await account.outcomeOf(issue(holderId, '20.92'));
    const review = `/operator/v1/reviews/${operationId}/resolve`;
    const decision = { outcome: 'failed', note: 'Asked the issuer' };
    expect(codeOf(await as(support).post(review, decision))).toEqual([403, 'scope_missing']);
    expect(expectBody(await as(finance).post(review, decision), 200)).toMatchObject({
      resolution: { ...decision, resolvedBy: { kind: 'operator', id: finance.id } },
    });
    const resolved = (await log.events(`operation-${operationId}`)).filter(({ type }) => type === 'ReviewResolved');
    expect(resolved.map(({ metadata }) => JSON.parse(metadata) as object)).toMatchObject([
      { actor: { kind: 'operator', id: finance.id } },
    ]);

    const keys = await as(viewer).get(`/operator/v1/companies/${companyId}/keys`);
    expect(keys.body).toMatchObject({ data: [{ createdBy: { kind: 'operator', id: admin.id } }] });
  });

  it('have a token for every endpoint of the running application', async () => {
    const anonymous = new ApiClient(florin.baseUrl, undefined);
    const responses: string[] = [];
    for (const api of ['operator', 'api']) {
      const { paths } = expectBody<{ paths: Record<string, object> }>(
        await anonymous.get(`/${api}/v1/openapi.json`),
        200,
      );
      for (const [path, methods] of Object.entries(paths)) {
        for (const method of Object.keys(methods)) {
          const [status, code] = codeOf(
            await anonymous.send(method.toUpperCase(), path.replace(/\{\w+\}/, randomUUID()), {}),
          );
          responses.push(`${status} ${code}`);
        }
      }
    }
    expect(responses.length).toBeGreaterThan(50);
    expect(new Set(responses)).toEqual(new Set(['401 invalid_key']));
  });

  it('can ask who they are', async () => {
    expect((await operator.get(`${root}/me`)).body).toEqual({ id: 'bootstrap', role: 'admin' });
    const body = person('viewer');
    const issued = expectBody<Issued>(await operator.post(root, body), 201);
    expect((await as(issued).get(`${root}/me`)).body).toEqual({ id: issued.id, ...body });
  });

  it('get another role and another token, and lose the old one at once', async () => {
    const issued = await created('viewer');
    expect(codeOf(await as(issued).post(root, person('viewer')))).toEqual([403, 'scope_missing']);
    const changed = await operator.post(`${root}/${issued.id}/role`, { role: 'admin' });
    expect(changed.body).toMatchObject({ id: issued.id, role: 'admin' });
    expect((await as(issued).post(root, person('viewer'))).status).toBe(201);

    const rotated = expectBody<Issued>(await operator.post(`${root}/${issued.id}/rotate`), 200);
    expect(rotated).toEqual({ id: issued.id, token: expect.stringMatching(/^fl_op_/) });
    expect(codeOf(await as(issued).get(root))).toEqual([401, 'invalid_key']);
    expect((await as(rotated).get(root)).status).toBe(200);
    const shown = (await operator.get(`${root}/${issued.id}`)).body;
    expect(shown).toMatchObject({ createdBy: bootstrap, rotatedBy: bootstrap, hint: rotated.token.slice(-4) });
  });

  it('are disabled permanently', async () => {
    const issued = await created('admin');
    const colleague = await created('admin');
    expect((await as(issued).get(root)).status).toBe(200);
    const path = `${root}/${issued.id}`;
    expectBody(await as(colleague).post(`${path}/disable`), 200);
    expect(codeOf(await as(issued).get(`${root}/me`))).toEqual([401, 'invalid_key']);
    expect(codeOf(await operator.post(`${path}/rotate`))).toEqual([400, 'validation_failed']);
    expect(codeOf(await operator.post(`${path}/role`, { role: 'viewer' }))).toEqual([400, 'validation_failed']);
    const again = expectBody<Listed>(await operator.post(`${path}/disable`), 200);
    expect(again.disabledBy).toEqual({ kind: 'operator', id: colleague.id });
    const { data } = expectBody<{ data: Listed[] }>(await operator.get(root), 200);
    expect(data.find(({ id }) => id === issued.id)).toEqual(again);
  });

  it('have an e-mail address that no other enabled operator has', async () => {
    const email = `${randomUUID()}@operators.example`;
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        operator.post(root, person('viewer', index % 2 === 0 ? email : email.toUpperCase())),
      ),
    );
    const [first, ...others] = responses.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(7);
    expect(codeOf(await operator.post(root, person('admin', email)))).toEqual([409, 'already_exists']);
    expectBody(await operator.post(`${root}/${String(first!.body['id'])}/disable`), 200);
    expect((await operator.post(root, person('admin', email))).status).toBe(201);
  });

  it('leave neither tokens, names nor e-mail addresses in the event log or the output', async () => {
    const body = { ...person('viewer'), name: 'Ulrike Unmistakable' };
    const issued = expectBody<Issued>(await operator.post(root, body), 201);
    const rotated = expectBody<Issued>(await operator.post(`${root}/${issued.id}/rotate`), 200);
    await as(rotated).get(root);
    const text = (await log.events('operators-all')).map(({ data, metadata }) => data + metadata).join('\n');
    expect(text).toContain(issued.id);
    for (const secret of [issued.token, rotated.token, body.name, body.email]) {
      expect(text).not.toContain(secret);
      expect(florin.log).not.toContain(secret);
    }
  });

  it.each([
    ['an unknown role', { role: 'owner' }],
    ['no e-mail address', { email: 'nowhere' }],
    ['an empty name', { name: ' ' }],
    ['an unknown field', { password: 'secret' }],
  ])('are not created with %s', async (_, fields) => {
    expect(codeOf(await operator.post(root, { ...person('viewer'), ...fields }))).toEqual([400, 'validation_failed']);
  });

  it('are not found under an unknown id', async () => {
    const path = `${root}/00000000-0000-4000-8000-000000000000`;
    expect(codeOf(await operator.get(path))).toEqual([404, 'not_found']);
    for (const action of ['rotate', 'disable']) {
      expect(codeOf(await operator.post(`${path}/${action}`))).toEqual([404, 'not_found']);
    }
  });

  it('cannot use the public API with their token', async () => {
    const client = new ApiClient(florin.baseUrl, (await created('admin')).token);
    expect(codeOf(await client.get('/api/v1/balance'))).toEqual([401, 'invalid_key']);
  });
});
