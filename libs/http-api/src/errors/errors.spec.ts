import { MailboxFull, NoReply, StaleReadModel } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import { ReadQueueFull, ReadTimeout } from '@florin/read-models';
import { Controller, ForbiddenException, Get, InternalServerErrorException } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { z } from 'zod';
import { Endpoint, type Input } from '../endpoint';
import { PublicRoute } from '../route-rules';
import { amount } from '../schemas';
import { listen, startTestApp, type TestApp } from '../testing/test-app';
import { ApiError, type ApiErrorCode, statusOfCode } from './api-error';
import { respondToMalformedHttp } from './before-routing';

const bodySchema = z.strictObject({ amount });
const common = { tag: 'Things', scope: 'cards:write', response: { status: 200, description: 'Done.' } } as const;

/** The error of the next request. */
let failure: unknown;

@Controller()
class FailingController {
  @Endpoint({ ...common, method: 'GET', path: '/api/v1/failing', operationId: 'things.fail', summary: 'Fail' })
  async fail(): Promise<object> {
    throw failure;
  }

  @Endpoint({
    ...common,
    method: 'POST',
    path: '/api/v1/things',
    operationId: 'things.create',
    summary: 'Make a thing',
    body: bodySchema,
  })
  async make(_input: Input<typeof bodySchema>): Promise<object> {
    return {};
  }

  @Endpoint({
    ...common,
    method: 'GET',
    path: '/api/v1/unwritable',
    operationId: 'things.getUnwritable',
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

/** Sends text over a new connection, and returns what was received until the server closed it. */
async function exchange(text: string, url = baseUrl): Promise<{ head: string; body: string }> {
  const received = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let all = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk) => (all += chunk));
    socket.on('end', () => resolve(all)).on('error', reject);
  });
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { head, body };
}

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

describe('An object that a newer release has changed', () => {
  it('is reported with 503 and what to do, without internals', async () => {
    const cause = Object.assign(new Error('Event Secret version 2 at card-1@7 is unknown'), {
      name: 'UnreadableEvent',
    });
    const { response, body } = await failWith(new NoReply('FreezeCard failed', { cause }));
    expect(response.status).toBe(503);
    expect(body).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^A newer release of Florin/) as string,
    });
    expect(body['message']).not.toContain('card-1');
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
    ['a key twice', () => post('{"amount":"1","amount":"2"}'), /key amount occurs twice in an object: send it once/],
    ['a key twice, escaped', () => post('{"amount":"1","\\u0061mount":"2"}'), /key amount occurs twice/],
    ['a long key twice', () => post(`{"${'k'.repeat(999)}":1,"${'k'.repeat(999)}":2}`), /key k{100}… occurs twice/],
    ['null', () => post('null'), /must be a JSON object/],
    ['a list', () => post('[]'), /must be a JSON object/],
  ])('is rejected: %s', async (_name, request, message) => {
    const { body } = await request();
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toMatch(message);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip'])(
    'is rejected with 415: Content-Encoding %s',
    async (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const init = { method: 'POST', body: '{"amount":"1"}', headers };
      const { response, body } = await send('/api/v1/things', init);
      expect(body).toMatchObject({ statusCode: 415, code: 'unsupported_media_type' });
      expect(response.headers.get('accept-encoding')).toBe('identity');
    },
  );

  it.each(['iso-8859-1', 'utf-16', '"latin1"'])('is rejected with 415: charset %s', async (charset) => {
    const { body } = await post('{"amount":"1"}', `application/json; charset=${charset}`);
    expect(body).toMatchObject({ statusCode: 415, code: 'unsupported_media_type' });
    expect(body['message']).toMatch(/encode the JSON as UTF-8/);
  });

  it.each(['UTF-8', '"utf-8"', 'utf-8; other=1'])('is accepted with the charset %s', async (charset) => {
    const headers = { 'content-type': `application/json; charset=${charset}`, 'content-encoding': 'identity' };
    const { response } = await send('/api/v1/things', { method: 'POST', body: '{"amount":"1"}', headers });
    expect(response.status).toBe(200);
  });

  it('is accepted up to 64 KiB', async () => {
    const padding = ' '.repeat(65_536 - '{"amount":"1"}'.length);
    const { response } = await post(`{"amount":"1"${padding}}`, 'application/json; charset=utf-8');
    expect(response.status).toBe(200);
  });
});

describe('Unknown paths', () => {
  it.each([
    ['an unknown path', 'GET', '/api/v1/nowhere', 404, 'not_found'],
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

  it.each([
    ['DELETE', '/api/v1/things', 'POST'],
    ['PUT', '/api/v1/failing?a=1', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/failing', 'GET, HEAD'],
    ['POST', '/operator/v1/keys/4711/revoked', undefined],
    ['GET', '/operator/v1/keys/4711/revoke', 'POST'],
  ])('%s %s returns the methods of the path: %s', async (method, path, allow) => {
    const { response, body } = await send(path, { method, headers: { authorization: '' } });
    const expected = allow === undefined ? [404, 'not_found'] : [405, 'method_not_allowed'];
    expect([body['statusCode'], body['code']]).toEqual(expected);
    expect(response.headers.get('allow')).toBe(allow ?? null);
  });

  it.each(['QUERY', 'PROPFIND', 'TRACE', 'M-SEARCH'])(
    'return the same error body for the method %s',
    async (method) => {
      const requests = [
        ['/api/v1/things', 405, 'method_not_allowed'],
        ['/nowhere', 404, 'not_found'],
      ] as const;
      for (const [path, statusCode, code] of requests) {
        const received = await exchange(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
        expect(received.head).toMatch(new RegExp(`^HTTP/1.1 ${statusCode} `));
        const requestId = /x-request-id: (\S+)/i.exec(received.head)?.[1];
        expect(JSON.parse(received.body)).toMatchObject({ statusCode, code, requestId });
      }
    },
  );

  it('return an error body in the same format for invalid HTTP', async () => {
    const { head, body } = await exchange('NONSENSE\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toMatchObject({ statusCode: 400, code: 'validation_failed' });
  });
});

describe('A request that is rejected before its body is read', () => {
  /** Sends a body without end, and resolves when the server has closed the connection. */
  const sendEndlessly = (head: string): Promise<{ received: string; sentBytes: number }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(baseUrl);
      const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
      let received = '';
      const socket = connect(Number(port), hostname);
      // Before the first chunk, however long it takes to connect.
      socket.write(head);
      const pump = setInterval(() => socket.writable && socket.write(chunk), 5);
      socket.setEncoding('utf8').on('data', (data) => (received += data));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(pump);
        clearTimeout(giveUp);
        resolve({ received, sentBytes: socket.bytesWritten });
      });
      const giveUp = setTimeout(() => {
        clearInterval(pump);
        socket.destroy();
        reject(new Error(`still reading after ${socket.bytesWritten} bytes: ${received}`));
      }, 10_000);
    });

  it.each([
    ['a 401', 'POST', '/api/v1/things', 401],
    ['a 404', 'POST', '/nowhere', 404],
    ['a 405', 'PUT', '/api/v1/things', 405],
    ['an unreadable path', 'POST', '/api/v1/%zz', 400],
    ['a GET', 'GET', '/', 200],
  ])(
    'gets a response, and its connection is closed: %s',
    async (_name, method, path, status) => {
      const headers = 'host: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n';
      const { received } = await sendEndlessly(`${method} ${path} HTTP/1.1\r\n${headers}\r\n`);
      expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(received).toMatch(/connection: close/i);
    },
    30_000,
  );

  it('keeps the connection if the body is short, or was read', async () => {
    const chunked = 'host: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n';
    const key401 = await test.app.inject({ method: 'POST', url: '/api/v1/things', payload: { amount: '1' } });
    expect([key401.statusCode, key401.headers['connection']]).toEqual([401, 'keep-alive']);
    const body = '{"amount":"1"}';
    const request = `POST /api/v1/things HTTP/1.1\r\nauthorization: Bearer ${key}\r\n${chunked}\r\n`;
    const last = 'GET /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const { head } = await exchange(`${request}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${last}`);
    expect(head).toMatch(/^HTTP\/1.1 200 /);
    expect(head).not.toMatch(/connection: close/i);
  });
});

describe('A request that is received too slowly', () => {
  let server: Server;

  beforeAll(async () => {
    // As in the adapter, with shorter times.
    server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 });
    server.on('clientError', (error, socket) => respondToMalformedHttp(error, socket as Socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => void server.close());

  it.each(['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc', 'POST / HTT'])(
    'returns 408 and says that it was not processed: %j',
    async (text) => {
      const { port } = server.address() as AddressInfo;
      const { head, body } = await exchange(text, `http://127.0.0.1:${port}`);
      expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(head).toMatch(/connection: close/);
      expect(JSON.parse(body)).toMatchObject({
        statusCode: 408,
        code: 'request_timeout',
        message: expect.stringMatching(/was not processed: send it again/) as string,
      });
    },
  );
});

describe('The size of an error body', () => {
  it('is less than 4 KiB with 10 problems, for any request', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`field-${index}`, 1]));
    const { body } = await post(JSON.stringify({ amount: '1', ...unknown }));
    expect(body['message']).toMatch(/^Unknown field field-0, .*field-9 and 1990 more: remove it\.$/);
    const long = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`\u0001\u0002${index}${'\u0007'.repeat(99)}`, 1]),
    );
    const response = await fetch(`${baseUrl}/api/v1/things`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(long),
    });
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(4_096);
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
    ['a read that was canceled', new ReadTimeout(databaseDown)],
    ['a full queue of reads', new ReadQueueFull(databaseDown)],
  ])('that is transient returns 503 with Retry-After: %s', async (_name, error) => {
    const { response, body } = await failWith(error);
    expect(body).toMatchObject({ statusCode: 503, code: 'unavailable' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(test.log.at('warn').at(-1)).toMatchObject({ err: error });
  });

  it.each([
    [new ReadTimeout(databaseDown), 'request fewer rows'],
    [new ReadQueueFull(databaseDown), 'send fewer requests at the same time'],
  ])('of a read says what to do: %s', async (error, advice) => {
    expect((await failWith(error)).body['message']).toContain(advice);
  });
});
