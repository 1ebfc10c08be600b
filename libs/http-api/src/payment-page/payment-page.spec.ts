import type { PayableInvoice } from '@florin/read-models';
import type { OutgoingHttpHeaders } from 'node:http';
import { OperationsApp } from '../testing/operations-app';
import { initialTime } from '../testing/test-app';
import { FundingApiModule } from '../v1/funding-api.module';
import { isPaymentToken, newPaymentUrl } from './payment-url';

const api = new OperationsApp([FundingApiModule]);
const perSecond = 2;

beforeAll(() => api.start({ rateLimits: { live: 0, sandbox: 0, pages: perSecond } }));
afterAll(() => api.close());

const address = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const expiresAt = '2026-01-01T01:00:00.000Z';

/** A new page for each test, because reads are cached. */
function newPage(change: Partial<PayableInvoice> = {}): string {
  const token = newPaymentUrl('').split('/').at(-1)!;
  api.views.payable.set(token, { status: 'pending', address, payAmount: '100.003127', expiresAt, ...change });
  return token;
}

let clients = 0;
const newClient = (): string => `192.0.2.${++clients}`;

async function get(
  path: string,
  remoteAddress = newClient(),
): Promise<{ status: number; headers: OutgoingHttpHeaders; body: string }> {
  const { statusCode, headers, body } = await api.app.inject({ url: `/pay/${path}`, remoteAddress });
  return { status: statusCode, headers, body };
}

describe('The address of a payment page', () => {
  it('has 192 random bits', () => {
    const urls = Array.from({ length: 1_000 }, () => newPaymentUrl('https://api.example.com/florin/'));
    expect(new Set(urls).size).toBe(1_000);
    for (const url of urls) expect(url).toMatch(/^https:\/\/api\.example\.com\/florin\/pay\/[\w-]{32}$/);
    expect(isPaymentToken(urls[0]!.split('/').at(-1)!)).toBe(true);
  });
});

describe('A payment page', () => {
  it('shows the address, the exact amount, a QR code and the deadline', async () => {
    const { status, body } = await get(newPage());
    expect(status).toBe(200);
    expect(body).toContain(`<code id="address">${address}</code>`);
    expect(body).toContain('<code id="amount">100.003127</code>');
    expect(body).toMatch(/<svg role="img" aria-label="QR code of the address" [^>]*viewBox/);
    expect(body).toContain(`<time datetime="${expiresAt}">2026-01-01 01:00:00 UTC</time>`);
    expect(body).toContain(`data-now="${initialTime}"`);
    expect(body).toContain('Waiting for the payment.');
  });

  it('has no inline script or style, and cannot be stored, framed, indexed or named as a referrer', async () => {
    const { headers, body } = await get(newPage());
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(body).not.toMatch(/<style|style=|<script>|\son\w+=/);
  });

  it.each([
    ['pending', expiresAt, 'closing', /time to pay is over/],
    ['completed', undefined, 'completed', /Paid/],
    ['expired', undefined, 'expired', /Do not send money/],
    ['failed', undefined, 'failed', /Do not send money/],
    ['manual_review', undefined, 'manual_review', /being checked/],
  ] as const)(
    'of an invoice that is %s and expired at %s does not ask for a payment',
    async (status, time, state, text) => {
      const past = time === undefined ? {} : { expiresAt: initialTime };
      const token = newPage({ status, ...past });
      const { body } = await get(token);
      expect(body).toMatch(text);
      expect(body).not.toMatch(/<svg|data-copy|id="countdown"/);
      expect(JSON.parse((await get(`${token}/state`)).body)).toEqual({ state });
    },
  );

  it('reloads without JavaScript while its state can change', async () => {
    const reload = '<meta http-equiv="refresh"';
    expect((await get(newPage())).body).toContain(reload);
    expect((await get(newPage({ status: 'completed' }))).body).not.toContain(reload);
  });

  it('loads a style and a script that browsers can keep', async () => {
    const { body } = await get(newPage());
    for (const pattern of [/href="(page\.css\?\w+)"/, /src="(page\.js\?\w+)"/]) {
      const { status, headers } = await get(pattern.exec(body)![1]!);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('is the same for every unknown address, which costs no read if it is malformed', async () => {
    const unknown = newPaymentUrl('').split('/').at(-1)!;
    const { status, headers, body } = await get(unknown);
    expect([status, headers['referrer-policy'], headers['cache-control']]).toEqual([404, 'no-referrer', 'no-store']);
    const { payableReads } = api.views;
    for (const other of ['x', 'x'.repeat(33), `${'x'.repeat(31)}%27`, '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57']) {
      expect(await get(other)).toMatchObject({ status: 404, body });
    }
    expect(JSON.parse((await get('x/state')).body)).toMatchObject({ statusCode: 404, code: 'not_found' });
    expect(api.views.payableReads).toBe(payableReads);
  });

  it('costs one read for many payers', async () => {
    const token = newPage();
    const { payableReads } = api.views;
    const responses = await Promise.all(Array.from({ length: 50 }, () => get(`${token}/state`)));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(api.views.payableReads).toBe(payableReads + 1);
  });

  it('is limited per client address, and recovers', async () => {
    const token = newPage();
    const statuses = async (client: string, count: number): Promise<number[]> => {
      const responses = await Promise.all(Array.from({ length: count }, () => get(`${token}/state`, client)));
      return responses.map(({ status }) => status);
    };
    const burst = 10 * perSecond;
    const client = newClient();
    const first = await statuses(client, burst + 3);
    expect([first.filter((status) => status === 200).length, first.filter((status) => status === 429).length]).toEqual([
      burst,
      3,
    ]);
    expect((await get(token, client)).headers['retry-after']).toBe('1');
    expect(await statuses(newClient(), 1)).toEqual([200]);
    api.clock.advance(1_000);
    expect(await statuses(client, perSecond + 1)).toEqual([200, 200, 429]);
  });

  it('counts all addresses of an IPv6 network together', async () => {
    const token = newPage();
    for (let host = 1; host <= 10 * perSecond; host++) await get(token, `2001:db8:1:1::${host.toString(16)}`);
    expect((await get(token, '2001:db8:1:1:ffff::1')).status).toBe(429);
    expect((await get(token, '2001:db8:1:2::1')).status).toBe(200);
  });

  it('is in no log line', async () => {
    const token = newPage();
    const client = newClient();
    for (let request = 0; request < 30; request++) await get(token, client);
    await get(`${token}/unknown`);
    await api.app.inject({ method: 'POST', url: `/pay/${token}` });
    const lines = JSON.stringify(api.log.lines);
    expect(lines).toContain('/pay/:token');
    expect(lines).not.toContain(token);
  });
});
