import { MailboxFull, NoReply, StaleReadModel } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import { Controller, ForbiddenException, Get, InternalServerErrorException } from '@nestjs/common';
import { connect } from 'node:net';
import { z } from 'zod';
import { Endpoint, type Input } from '../endpoint';
import { PublicRoute } from '../route-rules';
import { amount } from '../schemas';
import { listen, startTestApp, type TestApp } from '../testing/test-app';
import { ApiError, type ApiErrorCode, statusOfCode } from './api-error';

const bodySchema = z.strictObject({ amount });
const common = { tag: 'Things', scope: 'cards:write', response: { status: 200, description: 'Done.' } } as const;

/** The error of the next request. */
let failure: unknown;

@Controller()
class FailingController {
  @Endpoint({ ...common, method: 'GET', path: '/api/v1/failing', summary: 'Fail' })
  async fail(): Promise<object> {
    throw failure;
  }

  @Endpoint({ ...common, method: 'POST', path: '/api/v1/things', summary: 'Make a thing', body: bodySchema })
  async make(_input: Input<typeof bodySchema>): Promise<object> {
    return {};
  }

  @Endpoint({
    ...common,
    method: 'GET',
    path: '/api/v1/unwritable',
    summary: 'Return a value that JSON cannot represent',
  })
  async unwritable(): Promise<object> {
    return { cents: 1n };
  }

  @Get('/plain')
  @PublicRoute()
  plain(): never {
    throw failure;
  }
}

let test: TestApp;
let baseUrl: string;
let key: string;

const databaseDown = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

beforeAll(async () => {
  const isTransient = (error: unknown): boolean => error === databaseDown;
  test = await startTestApp({ controllers: [FailingController], options: { isTransient } });
  baseUrl = await listen(test.app);
  key = test.keys.add();
});

afterAll(() => test.app.close());

async function send(
  path: string,
  init: RequestInit = {},
): Promise<{ response: Response; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${key}`, ...init.headers };
  const response = await fetch(baseUrl + path, { ...init, headers });
  return { response, body: (await response.json()) as Record<string, unknown> };
}

const failWith = (error: unknown, path = '/api/v1/failing') => {
  failure = error;
  return send(path);
};

const post = (body: string | Buffer, contentType = 'application/json') =>
  send('/api/v1/things', { method: 'POST', body, headers: { 'content-type': contentType } });

describe('The body of an error', () => {
  it.each(Object.entries(statusOfCode) as [ApiErrorCode, number][])(
    'has code %s and status %d',
    async (code, status) => {
      const { response, body } = await failWith(new ApiError(code, 'This went wrong: do that.'));
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const requestId = response.headers.get('x-request-id');
      expect(body).toEqual({ statusCode: status, message: 'This went wrong: do that.', code, requestId });
    },
  );

  it('contains the request id of the client', async () => {
    const { body } = await send('/api/v1/failing', { headers: { 'x-request-id': 'my-4711' } });
    expect(body['requestId']).toBe('my-4711');
  });

  it.each(['', 'with space', 'ü', 'x'.repeat(129)])('contains a new request id instead of %j', async (chosen) => {
    const response = await test.app.inject({ url: '/nowhere', headers: { 'x-request-id': chosen } });
    const { requestId } = response.json<{ requestId: string }>();
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers['x-request-id']).toBe(requestId);
  });
});

describe('An unreadable body', () => {
  it.each([
    ['malformed JSON', () => post('{"amount":'), /not valid JSON/],
    [
      'another content type',
      () => post('amount=1', 'application/x-www-form-urlencoded'),
      /Content-Type: application\/json/,
    ],
    ['text', () => post('{"amount":"1"}', 'text/plain'), /Content-Type: application\/json/],
    [
      'a content type with the prefix application/json',
      () => post('{"amount":"1"}', 'application/jsonx'),
      /Content-Type/,
    ],
    ['more than 64 KiB', () => post(JSON.stringify({ amount: 'x'.repeat(65_536) })), /larger than 64 KiB/],
    ['invalid UTF-8', () => post(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/],
    ['a poisoned prototype', () => post('{"amount":"1","__proto__":{"admin":true}}'), /Unknown field __proto__/],
    ['nothing', () => send('/api/v1/things', { method: 'POST' }), /body is required/],
    ['an empty text', () => post(''), /body is required/],
    ['null', () => post('null'), /must be a JSON object/],
    ['a list', () => post('[]'), /must be a JSON object/],
  ])('is rejected: %s', async (_name, request, message) => {
    const { body } = await request();
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toMatch(message);
  });

  it('is accepted up to 64 KiB, with any charset parameter', async () => {
    const padding = ' '.repeat(65_536 - '{"amount":"1"}'.length);
    const { response } = await post(`{"amount":"1"${padding}}`, 'application/json; charset=utf-8');
    expect(response.status).toBe(200);
  });
});

describe('Unknown paths', () => {
  it.each([
    ['an unknown path', 'GET', '/api/v1/nowhere', 404, 'not_found'],
    ['another method', 'DELETE', '/api/v1/things', 404, 'not_found'],
    ['a path in uppercase', 'GET', '/API/v1/failing', 404, 'not_found'],
    ['a trailing slash', 'GET', '/api/v1/failing/', 404, 'not_found'],
    ['a path outside the APIs', 'GET', '/nothing', 404, 'not_found'],
    ['malformed percent-encoding', 'GET', '/api/v1/%zz', 400, 'validation_failed'],
    ['percent-encoding of invalid UTF-8', 'GET', '/api/v1/%ff', 400, 'validation_failed'],
  ])('%s', async (_name, method, path, statusCode, code) => {
    const { response, body } = await send(path, { method });
    expect(response.status).toBe(statusCode);
    expect(body).toMatchObject({ statusCode, code, requestId: response.headers.get('x-request-id') });
  });

  it('return an error body in the same format for invalid HTTP', async () => {
    const received = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(baseUrl);
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toMatchObject({ statusCode: 400, code: 'validation_failed' });
  });
});

describe('An unexpected error', () => {
  const secret = new Error('password of the database is hunter2');

  it('is logged, but its details are not sent to the client', async () => {
    const { body } = await failWith(secret);
    expect(body).toMatchObject({ statusCode: 500, code: 'internal_error' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(test.log.at('error').at(-1)).toMatchObject({ err: secret, requestId: body['requestId'] });
  });

  it.each([
    ['in an endpoint', 'not even an error', '/api/v1/failing'],
    ['in a controller of another kind', secret, '/plain'],
    ['in an exception of Nest', new InternalServerErrorException('hunter2'), '/plain'],
    ['while the response is serialized', undefined, '/api/v1/unwritable'],
  ])('returns 500 %s', async (_name, error, path) => {
    const { body } = await failWith(error, path);
    expect(body).toMatchObject({ statusCode: 500, code: 'internal_error' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('of Nest with another status uses the same error body', async () => {
    const { body } = await failWith(new ForbiddenException('Not here'), '/plain');
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed', message: 'Not here' });
  });

  it.each([
    ['no reply', new NoReply('no reply within 10 s')],
    ['a full mailbox', new MailboxFull(`account-${randomId()}`)],
    ['a stale read model', new StaleReadModel('companies')],
    ['a database that is down', databaseDown],
  ])('that is transient returns 503 with Retry-After: %s', async (_name, error) => {
    const { response, body } = await failWith(error);
    expect(body).toMatchObject({ statusCode: 503, code: 'unavailable' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(test.log.at('warn').at(-1)).toMatchObject({ err: error });
  });
});
