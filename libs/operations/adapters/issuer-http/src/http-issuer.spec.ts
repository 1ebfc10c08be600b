import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amountFor, IssuerSimulator, type IssuerBehavior, readIssuerCalls } from '@florin/issuer-simulator';
import { systemClock } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { issuerContract, issuerRequest } from '@florin/operations-application/testing';
import { HttpIssuer } from './http-issuer.adapter';

const secret = 'a secret between the two';
const noDeadline = new AbortController().signal;

issuerContract('The HTTP issuer', async () => {
  const fake = await IssuerSimulator.start({ secret });
  return {
    issuer: new HttpIssuer({ url: fake.url, secret, clock: systemClock }),
    amounts: {
      accepted: amountFor('accepted'),
      declined: amountFor('declined'),
      unknown: amountFor('hangs'),
      slow: amountFor('slow'),
    },
    close: () => fake.close(),
  };
});

describe('the HTTP issuer', () => {
  let fake: IssuerSimulator;
  let issuer: HttpIssuer;

  beforeEach(async () => {
    fake = await IssuerSimulator.start({ secret });
    issuer = new HttpIssuer({ url: fake.url, secret, clock: systemClock });
  });
  afterEach(() => fake.close());

  const reasonOf = async (
    order = issuerRequest('issue', amountFor('accepted')),
    signal = noDeadline,
    through = issuer,
  ) => {
    const response = await through.execute(order, signal);
    expect(response.outcome).toBe('unknown');
    return response.outcome === 'unknown' ? response.reason : '';
  };

  it('sends one signed request with the operation id in the body and in the Idempotency-Key', async () => {
    const order = issuerRequest('issue', amountFor('accepted'));
    await issuer.execute(order, noDeadline);
    const call = { method: 'POST', path: '/issuer/operations', idempotencyKey: order.operationId, signed: true, order };
    const behavior = { behavior: 'accepted', delayMs: 0, receivedAt: expect.any(String) as string };
    expect(fake.calls).toEqual([{ ...call, ...behavior }]);
  });

  it('accepts a base URL with a trailing slash', async () => {
    const slashed = new HttpIssuer({ url: `${fake.url}/`, secret, clock: systemClock });
    await slashed.execute(issuerRequest('topup', amountFor('accepted')), noDeadline);
    expect(fake.calls).toMatchObject([{ path: '/issuer/operations' }]);
  });

  it('accepts a decline with HTTP 200 and 422', async () => {
    for (const amount of [amountFor('declined'), amountFor('declinedWith200')]) {
      expect(await issuer.execute(issuerRequest('topup', amount), noDeadline)).toEqual({
        outcome: 'declined',
        code: 'not_today',
        message: 'The simulated issuer declines this order.',
      });
    }
  });

  it.each<[IssuerBehavior, RegExp]>([
    ['resets', /failed \(ECONNRESET\)$/],
    ['closes', /failed \(ECONNRESET\)$/],
    ['breaksOff', /failed \(ECONNRESET\)$/],
    ['serverError', /HTTP 500/],
    ['created', /HTTP 201/],
    ['redirects', /HTTP 302/],
    ['redirectsThePost', /HTTP 307/],
    ['notJson', /not JSON/],
    ['anotherOperation', /another operation/],
    ['oversized', /longer than 65536 bytes/],
    ['switchesProtocols', /ended the connection|HTTP 101/],
    ['withoutCard', /see card$/],
  ])('returns unknown and does not retry: %s', async (behavior, reason) => {
    const order = issuerRequest('issue', amountFor(behavior));
    expect(await reasonOf(order)).toMatch(reason);
    // A retry would be sent before the next order.
    await issuer.execute(issuerRequest('issue', amountFor('accepted')), noDeadline);
    expect([fake.callsFor(order.operationId).length, fake.calls.length]).toEqual([1, 2]);
  });

  it.each<IssuerBehavior>(['hangs', 'slow'])('stops waiting at the deadline: %s', async (behavior) => {
    const deadline = new AbortController();
    const order = issuerRequest('issue', amountFor(behavior));
    const reason = reasonOf(order, deadline.signal);
    await fake.untilReceived(1);
    deadline.abort();
    expect(await reason).toBe('the issuer did not respond in time');
    expect(fake.callsFor(order.operationId)).toHaveLength(1);
  });

  it('stops reading an endless response at the deadline', async () => {
    const order = issuerRequest('issue', amountFor('drips'));
    expect(await reasonOf(order, AbortSignal.timeout(200))).toBe('the issuer did not respond in time');
    expect(fake.callsFor(order.operationId)).toHaveLength(1);
  });

  it('waits for a response longer than the idle timeout of connections', async () => {
    const slow = await IssuerSimulator.start({ secret, slowMs: 1_300 });
    const through = new HttpIssuer({ url: slow.url, secret, clock: systemClock });
    expect(await through.execute(issuerRequest('topup', amountFor('slow')), noDeadline)).toMatchObject({
      outcome: 'accepted',
    });
    await slow.close();
  });

  it('does not call the issuer if the deadline has already passed', async () => {
    expect(await reasonOf(undefined, AbortSignal.abort())).toContain('before the call started');
    await issuer.execute(issuerRequest('topup', amountFor('accepted')), noDeadline);
    expect(fake.calls).toHaveLength(1);
  });

  it('returns unknown if the connection is refused', async () => {
    await fake.close();
    expect(await reasonOf()).toContain('ECONNREFUSED');
    fake = await IssuerSimulator.start({ secret });
  });

  it('does not retry on a new connection when a reused connection breaks', async () => {
    await issuer.execute(issuerRequest('topup', amountFor('accepted')), noDeadline);
    for (const behavior of ['resets', 'closes'] as const) {
      const connections = fake.connections;
      const order = issuerRequest('topup', amountFor(behavior));
      expect(await reasonOf(order)).toContain('ECONNRESET');
      expect(fake.connections).toBe(connections);
      await issuer.execute(issuerRequest('topup', amountFor('accepted')), noDeadline);
      expect([fake.callsFor(order.operationId).length, fake.connections]).toEqual([1, connections + 1]);
    }
  });

  it('returns unknown if the TLS handshake fails', async () => {
    const insecure = new HttpIssuer({ url: fake.url.replace('http:', 'https:'), secret, clock: systemClock });
    expect(await reasonOf(undefined, noDeadline, insecure)).toMatch(/^the connection to the issuer failed \(\w+\)$/);
    expect(fake.calls).toEqual([]);
  });

  it('gets HTTP 401 with a wrong secret or a wrong clock', async () => {
    const stranger = new HttpIssuer({ url: fake.url, secret: 'another secret', clock: systemClock });
    const late = new HttpIssuer({ url: fake.url, secret, clock: manualClock('2020-01-01T00:00:00.000Z') });
    for (const wrong of [stranger, late]) expect(await reasonOf(undefined, noDeadline, wrong)).toContain('HTTP 401');
    expect(fake.calls.map(({ signed }) => signed)).toEqual([false, false]);
  });

  it.each(['', 'issuer.example', 'ftp://issuer.example', 'https://user:hush@issuer.example', 'https://x/?key=hush'])(
    'rejects the URL %p without repeating it in the message',
    (url) => {
      const create = () => new HttpIssuer({ url, secret, clock: systemClock });
      expect(create).toThrow(/^ISSUER_URL is not usable: give an http or https address without/);
    },
  );

  it('rejects an empty secret', () => {
    expect(() => new HttpIssuer({ url: fake.url, secret: '', clock: systemClock })).toThrow('ISSUER_SECRET is empty');
  });
});

describe('a request for the details of a card', () => {
  const card = { companyId: 'acme', cardId: 'c1', cardReference: 'crd_1' };

  it('is signed, and returns the page of the issuer', async () => {
    const fake = await IssuerSimulator.start({ secret });
    const issuer = new HttpIssuer({ url: fake.url, secret, clock: systemClock });
    const response = await issuer.reveal(card, noDeadline);
    expect(response).toEqual({
      page: { url: expect.stringContaining('/reveals/'), expiresAt: expect.stringMatching(/Z$/) },
    });
    expect(fake.calls).toMatchObject([{ path: '/issuer/reveals', signed: true, order: { type: 'reveal', ...card } }]);
    await fake.close();
    expect(await issuer.reveal(card, noDeadline)).toEqual({
      failure: expect.stringMatching(/^the connection to the issuer failed \(ECONN/),
    });
  });

  it('fails when the signal aborts', async () => {
    const issuer = new HttpIssuer({ url: 'http://127.0.0.1:9', secret, clock: systemClock });
    expect(await issuer.reveal(card, AbortSignal.abort())).toEqual({ failure: 'the issuer did not respond in time' });
  });
});

describe('the issuer simulator', () => {
  it('keeps its journal across restarts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'florin-issuer-simulator-'));
    const journal = join(folder, 'journal.jsonl');
    const orders = [1, 2].map(() => issuerRequest('topup', amountFor('accepted')));
    for (const order of orders) {
      const fake = await IssuerSimulator.start({ secret, journal });
      await new HttpIssuer({ url: fake.url, secret, clock: systemClock }).execute(order, noDeadline);
      expect(fake.calls).toEqual(readIssuerCalls(journal));
      await fake.close();
    }
    expect(readIssuerCalls(journal).map((call) => call.order)).toEqual(orders);
    rmSync(folder, { recursive: true });
  });
});
