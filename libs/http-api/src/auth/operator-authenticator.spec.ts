import { Controller } from '@nestjs/common';
import { OperatorEndpoint, type OperatorInput } from '../endpoint';
import { operatorToken, startTestApp, type TestApp } from '../testing/test-app';
import { OperatorAuthenticator } from './operator-authenticator';
import { generateOperatorToken, hasOperatorTokenFormat } from './operator-token';

@Controller()
class DecisionsController {
  @OperatorEndpoint({
    method: 'POST',
    path: '/operator/v1/decisions',
    operationId: 'decisions.create',
    tag: 'Test',
    role: 'finance',
    summary: 'Decide',
    response: { status: 200, description: 'Who decided.' },
  })
  async decide({ actor }: OperatorInput): Promise<object> {
    return actor;
  }
}

let test: TestApp;

beforeEach(async () => {
  test = await startTestApp({ controllers: [DecisionsController] });
});
afterEach(() => test.app.close());

async function decide(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await test.app.inject({ method: 'POST', url: '/operator/v1/decisions', headers });
  return { status: response.statusCode, body: response.json<{ code?: string; message?: string }>() };
}

describe('An operator', () => {
  it('is the actor of its requests', async () => {
    const operatorId = '0bed0000-0000-4000-8000-000000000007';
    const token = test.operators.add({ operatorId, role: 'finance' });
    expect(await decide(token)).toEqual({ status: 200, body: { kind: 'operator', id: operatorId } });
    expect(await decide(operatorToken)).toEqual({ status: 200, body: { kind: 'operator', id: 'bootstrap' } });
    expect(test.log.at('debug')).toMatchObject([{ operatorId }, { operatorId: 'bootstrap' }]);
  });

  it('learns which role is missing', async () => {
    const { status, body } = await decide(test.operators.add({ role: 'support' }));
    expect([status, body.code]).toEqual([403, 'scope_missing']);
    expect(body.message).toBe('This request requires the role finance or admin; yours is support.');
  });

  it('is cached for a second', async () => {
    const token = test.operators.add({ role: 'finance' });
    await decide(token);
    test.clock.advance(999);
    await decide(token);
    expect(test.operators.reads).toBe(1);
    test.clock.advance(1);
    await decide(token);
    expect(test.operators.reads).toBe(2);
  });

  it('gets a granted role at once, and loses a role or its access after a second', async () => {
    const token = test.operators.add({ role: 'viewer' });
    expect((await decide(token)).status).toBe(403);
    test.operators.change(token, { role: 'finance' });
    expect((await decide(token)).status).toBe(200);
    test.operators.change(token, { role: 'viewer' });
    test.clock.advance(1_000);
    expect((await decide(token)).status).toBe(403);
    test.operators.change(token, { role: 'admin' });
    expect((await decide(token)).status).toBe(200);
    test.operators.change(token, { disabledAt: '2026-01-01T00:00:00.000Z' });
    test.clock.advance(1_000);
    expect(await decide(token)).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
  });

  it('is not cached beyond a write of this process', async () => {
    const token = test.operators.add({ role: 'finance' });
    await decide(token);
    test.operators.change(token, { disabledAt: '2026-01-01T00:00:00.000Z' });
    test.app.get(OperatorAuthenticator).evictAll();
    expect((await decide(token)).status).toBe(401);
  });

  it('is read together with all others that wait, so that invented tokens do not delay it', async () => {
    const token = test.operators.add({ role: 'finance' });
    const invented = Array.from({ length: 200 }, () => decide(generateOperatorToken().token));
    expect((await decide(token)).status).toBe(200);
    for (const { status } of await Promise.all(invented)) expect(status).toBe(401);
    expect(test.operators.reads).toBeLessThan(20);
  });

  it('is not read for a token that cannot exist', async () => {
    const { token } = generateOperatorToken();
    for (const wrong of [test.keys.add(), `${token}0`, token.slice(0, -1), `${operatorToken}x`]) {
      expect((await decide(wrong)).status).toBe(401);
    }
    expect(test.operators.reads).toBe(0);
    expect((await decide(token)).status).toBe(401);
    expect(test.operators.reads).toBe(1);
  });
});

describe('The token of an operator', () => {
  it('has a prefix, a checksum and a hint', () => {
    const { token, hint } = generateOperatorToken();
    expect(token).toMatch(/^fl_op_[0-9A-Za-z]{49}$/);
    expect(hasOperatorTokenFormat(token)).toBe(true);
    expect(token.endsWith(hint)).toBe(true);
    expect(hasOperatorTokenFormat(token.replace('fl_op_', 'fl_test_'))).toBe(false);
  });
});
