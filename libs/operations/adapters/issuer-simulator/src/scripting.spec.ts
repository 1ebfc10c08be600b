import { signPayload, verifySignature } from '@florin/kernel';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IssuerSimulator } from './issuer-simulator';

const secret = 'a-secret-for-these-tests';

interface Received {
  readonly path: string;
  readonly body: { readonly type?: string; readonly [name: string]: unknown };
}

describe('a scripted issuer', () => {
  let florin: Server;
  let issuer: IssuerSimulator;
  const received: Received[] = [];

  beforeAll(async () => {
    // Accepts what Florin would accept: signed messages only.
    florin = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const signature = String(request.headers['issuer-signature']);
        const isValid = verifySignature(signature, body, [secret], Math.floor(Date.now() / 1_000), 300);
        if (isValid) received.push({ path: request.url!, body: JSON.parse(body) as Received['body'] });
        response.writeHead(isValid ? 200 : 401).end('{"decision":"approve"}');
      });
    });
    await new Promise<void>((resolve) => florin.listen(0, '127.0.0.1', resolve));
    const florinUrl = `http://127.0.0.1:${(florin.address() as AddressInfo).port}`;
    issuer = await IssuerSimulator.start({ secret, florinUrl });
    await order({ operationId: 'o1', type: 'issue', cardId: 'c1' });
  });
  beforeEach(() => {
    received.length = 0;
  });
  afterAll(async () => {
    await issuer.close();
    florin.close();
    florin.closeAllConnections();
  });

  async function order(fields: object): Promise<number> {
    const body = JSON.stringify({ companyId: 'acme', amount: '100.00', ...fields });
    const signature = signPayload(secret, Math.floor(Date.now() / 1_000), body);
    const headers = { 'Florin-Signature': signature };
    return fetch(`${issuer.url}/operations`, { method: 'POST', body, headers }).then(
      ({ status }) => status,
      () => 0,
    );
  }

  async function control(
    name: string,
    parameters?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const request = { method: 'POST', body: JSON.stringify(parameters ?? {}) };
    const response = await fetch(`${issuer.baseUrl}/sim/${name}`, request);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('follows its rules first, each as often as it says', async () => {
    await control('script', { type: 'unload', behavior: 'declined', times: 2 });
    await control('script', { operationId: 'o9', behavior: 'resets' });
    const unloads = [2, 3, 4].map((number) => order({ operationId: `o${number}`, type: 'unload' }));
    expect((await Promise.all(unloads)).sort()).toEqual([200, 422, 422]);
    expect(await order({ operationId: 'o9', type: 'topup' })).toBe(0);
    expect(await order({ operationId: 'o9', type: 'topup' })).toBe(200);
    expect((await control('state')).body['rules']).toEqual([]);
  });

  it('names what a rule can do if it is unknown', async () => {
    const { status, body } = await control('script', { behavior: 'explodes' });
    expect([status, body['message']]).toEqual([
      400,
      expect.stringMatching(/^Unknown behavior explodes. Use one of: acc/),
    ]);
  });

  it('authorizes, clears, reverses, expires and refunds payments of its cards', async () => {
    const { body } = await control('authorize', { card: 'c1', amount: '12.5', merchantCategory: '5814' });
    expect(body).toEqual({ reference: expect.any(String), decision: 'approve' });
    const authorization = body['reference'];
    await control('clear', { authorization, amount: '10.00', final: false });
    await control('reverse', { authorization });
    await control('expire', { authorization });
    await control('refund', { authorization, amount: '5.00' });
    await control('pay', { card: 'sim-c1', amount: '1.00' });
    await control('status', { card: 'c1', status: 'blocked' });
    await control('confirm', { operationId: 'o1', outcome: 'accepted' });
    const card = { companyId: 'acme', cardReference: 'sim-c1' };
    expect(received).toMatchObject([
      {
        path: '/issuer/v1/authorizations',
        body: { ...card, authorization: { amount: '12.50', merchantCategory: '5814' } },
      },
      {
        body: {
          type: 'clearing',
          ...card,
          clearing: { transactionReference: authorization, amount: '10.00', final: false },
        },
      },
      { body: { type: 'transaction', ...card, transaction: { reference: authorization, status: 'reversed' } } },
      { body: { type: 'transaction', ...card, transaction: { reference: authorization, status: 'expired' } } },
      {
        body: {
          type: 'transaction',
          ...card,
          transaction: { type: 'refund', refundOf: authorization, amount: '5.00' },
        },
      },
      { body: { type: 'transaction', ...card, transaction: { status: 'completed', amount: '1.00' } } },
      { body: { type: 'card', ...card, status: 'blocked' } },
      { body: { type: 'operation', operationId: 'o1', outcome: 'accepted', card: { reference: 'sim-c1' } } },
    ]);
  });

  it('repeats and reorders callbacks', async () => {
    await control('hold');
    expect((await control('pay', { card: 'c1', amount: '1.00' })).body).toMatchObject({ held: true });
    await control('pay', { card: 'c1', amount: '2.00' });
    expect(received).toEqual([]);
    await control('release', { times: 2, order: 'reversed' });
    const amounts = received.map(({ body }) => (body['transaction'] as { amount: string }).amount);
    expect(amounts).toEqual(['2.00', '2.00', '1.00', '1.00']);
    await control('pay', { card: 'c1', amount: '3.00' });
    expect(received).toHaveLength(5);
  });

  it.each([
    ['pay', { card: 'nope', amount: '1.00' }, 400, /^No card nope was issued/],
    ['clear', { authorization: 'nope' }, 400, /^There is no authorization nope/],
    ['confirm', { operationId: 'nope', outcome: 'accepted' }, 400, /^There was no call for operation nope/],
    ['explode', {}, 404, /^Unknown path. Use one of: \/sim\/script, /],
  ])('explains what is wrong with /sim/%s %j', async (name, parameters, status, message) => {
    const response = await control(name, parameters);
    expect([response.status, response.body['message']]).toEqual([status, expect.stringMatching(message)]);
  });

  it('serves a page with the details of a card once', async () => {
    const body = JSON.stringify({ type: 'reveal', companyId: 'acme', cardId: 'c1' });
    const headers = { 'Florin-Signature': signPayload(secret, Math.floor(Date.now() / 1_000), body) };
    const response = await fetch(`${issuer.url}/reveals`, { method: 'POST', body, headers });
    const { url } = (await response.json()) as { url: string };
    expect(await (await fetch(url)).text()).toContain('4242 4242 4242 4242');
    expect((await fetch(url)).status).toBe(410);
  });
});
