import { IssuerSimulator } from '@florin/issuer-simulator';
import { execFileSync } from 'node:child_process';
import { type Account, codeOf, expectBody } from './harness/account';
import { EventLog } from './harness/event-log';
import { Florin } from './harness/florin';
import { Operator } from './harness/operator';
import { shownDetails } from './harness/shown-details';
import { TraceCollector } from './harness/trace-collector';

const secret = 'a-secret-shared-with-the-issuer';

interface Reveal {
  readonly url: string;
  readonly expiresAt: string;
}

describe('revealing a card', () => {
  const traces = new TraceCollector();
  let issuer: IssuerSimulator;
  let florin: Florin;
  let operator: Operator;
  let log: EventLog;
  let account: Account;
  let cardId: string;
  let number: string;

  beforeAll(async () => {
    issuer = await IssuerSimulator.start({ secret });
    const env = { ...(await traces.listen()), LOG_LEVEL: 'trace', ISSUER_URL: issuer.url, ISSUER_SECRET: secret };
    florin = await Florin.start({ env });
    operator = new Operator(florin);
    log = new EventLog(florin);
    account = await operator.newAccount('1000.00');
    cardId = await account.newCard(await account.newHolder());
  });

  afterAll(async () => {
    await log.close();
    await florin.stop();
    await traces.close();
    await issuer.close();
    florin.removeData();
  });

  const reveal = (id = cardId, as = account) => as.post(`/api/v1/cards/${id}/reveal`);
  const newAddress = async (): Promise<Reveal> => expectBody<Reveal>(await reveal(), 200);

  it('returns an address that shows the test number once', async () => {
    const { url, expiresAt } = await newAddress();
    expect(url.startsWith(`${florin.baseUrl}/sandbox/reveals/`)).toBe(true);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    const { number, expiry, cvc } = shownDetails(await page.text());
    expect(number).toMatch(/^424242\d{10}$/);
    expect(number.slice(-4)).toBe((await account.card(cardId)).last4);
    expect([expiry, cvc]).toEqual([expect.stringMatching(/^\d\d\/\d\d$/), expect.stringMatching(/^\d{3}$/)]);
    const again = await fetch(url);
    const empty = await again.text();
    expect([again.status, empty.includes('<dd>'), empty.replaceAll(' ', '').includes(number)]).toEqual([
      410,
      false,
      false,
    ]);
  });

  it('serves the page with strict headers', async () => {
    const { headers } = await fetch((await newAddress()).url);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('refresh')).toBe('60');
  });

  it('does not use up the address for requests that do not show the page', async () => {
    const { url } = await newAddress();
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(204);
    expect((await fetch(url, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(204);
    expect((await fetch(url)).status).toBe(200);
  });

  it('opens for one of many that try at the same time', async () => {
    const { url } = await newAddress();
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('returns 410 for an address that does not exist', async () => {
    for (const token of ['x', 'A'.repeat(43)]) {
      expect((await fetch(`${florin.baseUrl}/sandbox/reveals/${token}`)).status).toBe(410);
    }
  });

  it('needs the scope, an own card, and one that is active or frozen', async () => {
    const companyId = await operator.newCompany();
    const withoutScope = await operator.newKey(companyId, 'sandbox', ['cards:read', 'cards:write']);
    expect(codeOf(await reveal(cardId, withoutScope))).toEqual([403, 'scope_missing']);
    expect(codeOf(await reveal(cardId, await operator.newKey(companyId)))).toEqual([404, 'not_found']);
    expect(codeOf(await reveal('nope'))).toEqual([404, 'not_found']);
    await account.post(`/api/v1/cards/${cardId}/freeze`);
    expect((await reveal()).status).toBe(200);
    await account.post(`/api/v1/cards/${cardId}/unfreeze`);
  });

  it("returns the issuer's page in live", async () => {
    const companyId = await operator.newCompany();
    await log.depositLive(companyId, '500.00');
    const live = await operator.newKey(companyId, 'live');
    const holderId = await live.newHolder();
    await operator.post(`/operator/v1/holders/${holderId}/status`, { status: 'active' });
    const liveCard = await live.newCard(holderId);
    const { url } = expectBody<Reveal>(await reveal(liveCard, live), 200);
    expect(url.startsWith(`${issuer.baseUrl}/reveals/`)).toBe(true);
    expect(await (await fetch(url)).text()).toContain(liveCard);
    expect((await fetch(url)).status).toBe(410);
    const call = issuer.calls.at(-1);
    expect(call).toMatchObject({ path: '/issuer/reveals', signed: true });
    expect(call?.order).toEqual({ type: 'reveal', companyId, cardId: liveCard, cardReference: `sim-${liveCard}` });
  });

  it('leaves neither number nor address in database, events, logs and traces', async () => {
    const { url } = await newAddress();
    number = shownDetails(await (await fetch(url)).text()).number;
    const unused = await newAddress();
    const token = (address: string) => address.split('/').at(-1)!;
    const texts = { database: await databaseText(), log: florin.log, files: filesText() };
    for (const [name, text] of Object.entries(texts)) {
      expect([name, text.length > 1_000]).toEqual([name, true]);
      // So that the search itself is known to find what is there.
      if (name === 'database') expect(text).toContain(cardId);
      for (const secret of [number, number.replaceAll(/(.{4})(?=.)/g, '$1 '), token(url), token(unused.url)]) {
        expect([name, text.includes(secret)]).toEqual([name, false]);
      }
    }
  });

  it('leaves no number in traces', async () => {
    await florin.stop();
    expect(traces.spans.some(({ name }) => name === 'POST /api/v1/cards/:id/reveal')).toBe(true);
    expect(traces.text).not.toContain(number);
  });

  /** Every row of every table as text. */
  async function databaseText(): Promise<string> {
    const tables = await log.query<{ name: string }>(`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await log.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`);
      texts.push(...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  }

  /** The data folder, which contains the write-ahead log of the database. */
  function filesText(): string {
    return execFileSync('grep', ['-rahoE', '[ -~]{12,}', florin.dataDirectory], { maxBuffer: 1 << 30 }).toString();
  }
});
