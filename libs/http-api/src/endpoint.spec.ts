import { randomId } from '@florin/kernel';
import { Controller } from '@nestjs/common';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { z } from 'zod';
import { ApiResponse, Endpoint, type Input, OperatorEndpoint, type OperatorInput, RawText } from './endpoint';
import { cardId, paramsOf } from './ids';
import { amount, cursor, date, limit, timestampInput } from './schemas';
import { operatorToken, startTestApp, type TestApp } from './testing/test-app';

const bodySchema = z.strictObject({ amount, name: z.string().optional() });
const querySchema = z.strictObject({ limit: limit.optional(), cursor: cursor.optional(), from: date.optional() });
const optionalBody = z.strictObject({ since: timestampInput.optional() });
const common = { tag: 'Things', summary: 'A thing', scope: 'cards:write' } as const;
const idParams = paramsOf(cardId);
const success = { status: 200, description: 'Done.' } as const;

/** The input of the last request. */
let seen: Partial<Input<typeof bodySchema>>;

const see = (input: object): object => {
  seen = input;
  return {};
};

@Controller()
class ThingsController {
  private readonly own = 'of the instance';

  @Endpoint({
    ...common,
    method: 'POST',
    path: '/api/v1/things',
    operationId: 'things.create',
    body: bodySchema,
    idempotency: 'required',
    response: success,
  })
  async create(input: Input<typeof bodySchema>): Promise<object> {
    return see(input);
  }

  @Endpoint({
    ...common,
    method: 'GET',
    path: '/api/v1/things',
    operationId: 'things.list',
    query: querySchema,
    response: success,
  })
  async list(input: Input<undefined, typeof querySchema>): Promise<object> {
    return see(input);
  }

  @Endpoint({
    ...common,
    method: 'POST',
    path: '/api/v1/things/:id/use',
    operationId: 'things.use',
    params: idParams,
    response: success,
  })
  async use(input: Input<undefined, undefined, typeof idParams>): Promise<object> {
    return see(input);
  }

  @Endpoint({
    ...common,
    method: 'POST',
    path: '/api/v1/recover',
    operationId: 'things.recover',
    body: optionalBody,
    response: success,
  })
  async recover(input: Input<typeof optionalBody>): Promise<object> {
    return see(input);
  }

  @Endpoint({
    ...common,
    method: 'GET',
    path: '/api/v1/csv',
    operationId: 'things.export',
    response: { ...success, contentTypes: ['text/csv'] },
  })
  async csv({ accept }: Input): Promise<object> {
    return new RawText(`${accept}\r\n`, 'text/csv; charset=utf-8');
  }

  @Endpoint({
    ...common,
    method: 'POST',
    path: '/api/v1/replayed',
    operationId: 'things.replay',
    response: { ...success, status: 201 },
  })
  async replayed(): Promise<object> {
    return new ApiResponse({ own: this.own }, { headers: { location: '/api/v1/things/1' }, replayed: true });
  }

  @OperatorEndpoint({
    tag: 'Things',
    role: 'viewer',
    summary: 'Operate',
    method: 'PUT',
    path: '/operator/v1/things',
    operationId: 'things.define',
    body: bodySchema,
    response: success,
  })
  async operate(input: OperatorInput<typeof bodySchema>): Promise<object> {
    return see(input);
  }
}

let test: TestApp;
let key: string;

beforeAll(async () => {
  test = await startTestApp({ controllers: [ThingsController] });
  key = test.keys.add();
});

afterAll(() => test.app.close());

function send(options: InjectOptions): Promise<LightMyRequestResponse> {
  const headers = { authorization: `Bearer ${key}`, ...options.headers };
  return test.app.inject({ ...options, headers });
}

const create = (payload: object, headers: Record<string, string> = { 'idempotency-key': 'one' }) =>
  send({ method: 'POST', url: '/api/v1/things', payload, headers });

const messageOf = async (response: Promise<LightMyRequestResponse>) =>
  (await response).json<{ message?: string }>().message;

describe('An endpoint', () => {
  it('passes the whole input to the handler', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { 'idempotency-key': 'one', 'x-request-id': 'r-1', accept: 'application/json', traceparent };
    expect((await create({ amount: '10' }, headers)).statusCode).toBe(200);
    expect(seen).toEqual({
      requestId: 'r-1',
      traceparent,
      actor: { kind: 'api_key', id: 'feedface-0000-4000-8000-000000000001' },
      accept: 'application/json',
      endpoint: 'POST /api/v1/things',
      body: { amount: '10.00' },
      query: undefined,
      params: undefined,
      caller: {
        companyId: 'c0ffee00-0000-4000-8000-000000000001',
        companyName: 'Acme',
        companyKind: 'corporate',
        environment: 'sandbox',
        keyId: 'feedface-0000-4000-8000-000000000001',
        scopes: ['cards:write', 'balance:read'],
        activations: [],
      },
      idempotency: { commandId: expect.any(String) as string, fingerprint: expect.any(String) as string },
    });
  });

  it('ignores a malformed trace context', async () => {
    await create({ amount: '1' }, { 'idempotency-key': 'one', traceparent: '00-nonsense' });
    expect(seen.traceparent).toBeUndefined();
  });

  it('sends the status, headers and body that the handler returns', async () => {
    const response = await send({ method: 'POST', url: '/api/v1/replayed' });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({ own: 'of the instance' });
    expect(response.headers).toMatchObject({
      location: '/api/v1/things/1',
      'idempotent-replayed': 'true',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it('sends raw text unchanged', async () => {
    const response = await send({ url: '/api/v1/csv', headers: { accept: 'text/csv' } });
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.body).toBe('text/csv\r\n');
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('records the time when the key was used', async () => {
    test.clock.advance(60_000);
    await create({ amount: '1' });
    expect(test.uses.get('feedface-0000-4000-8000-000000000001')).toEqual(test.clock.now());
  });

  it('logs the request', async () => {
    await send({ url: `/api/v1/things?limit=0`, headers: { 'x-request-id': 'r-2' } });
    expect(test.log.at('info').at(-1)).toEqual({
      method: 'GET',
      route: '/api/v1/things',
      status: 400,
      ms: expect.any(Number) as number,
      requestId: 'r-2',
      companyId: 'c0ffee00-0000-4000-8000-000000000001',
    });
  });

  it('never logs the key', async () => {
    await create({ amount: '1' });
    expect(JSON.stringify(test.log.lines)).not.toContain(key.slice(8, 30));
  });
});

describe('A body', () => {
  it.each([
    [{ amount: 10 }, 'amount must be a decimal string such as "10.00", not a JSON number.'],
    [{}, 'amount is required.'],
    [{ amount: '1.005' }, 'amount must be a decimal string with at most two decimals, such as "10.00".'],
    [{ amount: '-1' }, 'amount must be a decimal string with at most two decimals, such as "10.00".'],
    [{ amount: '1000000000000' }, 'amount must have at most 12 digits before the point.'],
    [{ amount: '1', nmae: 'x' }, 'Unknown field nmae: remove it.'],
    [{ amount: '1', name: 7 }, 'name is not valid: Invalid input: expected string, received number.'],
    [{ amount: 1, name: 7 }, /^amount must be .*; name is not valid: .*\.$/],
  ])('is rejected with all problems: %j', async (payload, message) => {
    expect(await messageOf(create(payload))).toEqual(
      message instanceof RegExp ? expect.stringMatching(message) : message,
    );
  });

  it.each([undefined, {}])('may be absent or empty if the endpoint has no body: %j', async (payload) => {
    const response = await send({ method: 'POST', url: `/api/v1/things/${randomId()}/use`, payload });
    expect(response.statusCode).toBe(200);
  });

  it.each(['{"a":1}', 'null', '[]', '1'])('is rejected if the endpoint has no body: %s', async (payload) => {
    const headers = { 'content-type': 'application/json' };
    const message = messageOf(send({ method: 'POST', url: `/api/v1/things/${randomId()}/use`, payload, headers }));
    expect(await message).toBe('This endpoint takes no body: send none, or an empty JSON object.');
  });

  it('may be absent if all fields are optional', async () => {
    expect((await send({ method: 'POST', url: '/api/v1/recover' })).statusCode).toBe(200);
    expect(seen.body).toEqual({});
    const payload = { since: '2026-01-01T01:00:00+01:00' };
    await send({ method: 'POST', url: '/api/v1/recover', payload });
    expect(seen.body).toEqual({ since: '2026-01-01T00:00:00.000Z' });
  });
});

describe('A query', () => {
  it('is parsed into typed values', async () => {
    await send({ url: '/api/v1/things?limit=100&from=2026-02-28' });
    expect(seen.query).toEqual({ limit: 100, from: '2026-02-28' });
  });

  it.each([
    ['limt=1', 'Unknown query parameter limt: remove it.'],
    ['limit=1&limit=2', 'Query parameter limit is sent more than once: send it once.'],
    ['limit=0', 'limit must be a whole number from 1 to 100.'],
    ['limit=101', 'limit must be a whole number from 1 to 100.'],
    ['limit=1e1', 'limit must be a whole number from 1 to 100.'],
    ['limit=', 'limit must be a whole number from 1 to 100.'],
    ['cursor=', 'cursor must be the nextCursor of an earlier page.'],
    ['from=2026-02-30', 'from must be a calendar date such as 2030-01-31.'],
  ])('is rejected: %s', async (query, message) => {
    expect(await messageOf(send({ url: `/api/v1/things?${query}` }))).toBe(message);
  });

  it('is rejected if the endpoint has no query parameters', async () => {
    const message = 'Unknown query parameter dryRun: this endpoint has none.';
    expect(
      await messageOf(send({ method: 'POST', url: '/api/v1/things?dryRun=1', headers: { 'idempotency-key': 'x' } })),
    ).toBe(message);
  });
});

describe('An idempotency key', () => {
  const idOf = async (...sent: Parameters<typeof create>) => {
    await create(...sent);
    return seen.idempotency!;
  };

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['with a space', 'a b'],
    ['with non-ASCII characters', 'schlüssel'],
    ['with a control character', 'a\tb'],
  ])('is rejected if it is required: %s', async (_name, value) => {
    const headers = value === undefined ? {} : { 'idempotency-key': value };
    expect(await messageOf(create({ amount: '1' }, headers as Record<string, string>))).toMatch(
      /^The header Idempotency-Key/,
    );
  });

  it('of 128 characters is accepted', async () => {
    expect((await create({ amount: '1' }, { 'idempotency-key': '~'.repeat(128) })).statusCode).toBe(200);
  });

  it('gives equal requests the same command id, even if the amount is formatted differently', async () => {
    const first = await idOf({ amount: '10', name: 'x' });
    expect(await idOf({ name: 'x', amount: '10.00' })).toEqual(first);
  });

  it('gives a different body a different fingerprint', async () => {
    const first = await idOf({ amount: '10' });
    const second = await idOf({ amount: '10.01' });
    expect(second.commandId).toBe(first.commandId);
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  it('gives a different key, endpoint, object, company or environment a different command id', async () => {
    const use = async (thing: string, bearer = key) => {
      const headers = { authorization: `Bearer ${bearer}`, 'idempotency-key': 'one' };
      await send({ method: 'POST', url: `/api/v1/things/${thing}/use`, headers });
      return seen.idempotency!.commandId;
    };
    const thing = randomId();
    const commandIds = [
      (await idOf({ amount: '1' })).commandId,
      (await idOf({ amount: '1' }, { 'idempotency-key': 'two' })).commandId,
      await use(thing),
      await use(randomId()),
      await use(thing, test.keys.add({ companyId: randomId() })),
      await use(thing, test.keys.add({ environment: 'live' })),
    ];
    expect(new Set(commandIds).size).toBe(commandIds.length);
    expect(await use(thing)).toBe(commandIds[2]);
  });

  it('is optional on other endpoints, but must be valid', async () => {
    const url = `/api/v1/things/${randomId()}/use`;
    await send({ method: 'POST', url });
    expect(seen.idempotency).toBeUndefined();
    const wrong = send({ method: 'POST', url, headers: { 'idempotency-key': 'a b' } });
    expect(await messageOf(wrong)).toMatch(/^The header Idempotency-Key/);
  });
});

describe('An operator endpoint', () => {
  const operate = (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    return test.app.inject({ method: 'PUT', url: '/operator/v1/things', payload: { amount: '1' }, headers });
  };

  it('accepts only the operator token', async () => {
    expect((await operate(`Bearer ${operatorToken}`)).statusCode).toBe(200);
    expect(seen.body).toEqual({ amount: '1.00' });
    for (const wrong of [undefined, `Bearer ${key}`, `Bearer ${operatorToken}x`, `Basic ${operatorToken}`]) {
      const response = await operate(wrong);
      expect(response.json()).toMatchObject({ statusCode: 401, code: 'invalid_key' });
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('is the only kind that accepts the operator token', async () => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    expect((await test.app.inject({ url: '/api/v1/things', headers })).statusCode).toBe(401);
  });
});
