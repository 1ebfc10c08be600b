import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ApiClient } from './harness/client';
import { Florin, runCli, runToEnd, sharedFlorin } from './harness/florin';
import { newDataDirectory } from './harness/florin-process';
import type { Credentials } from './harness/running-florin';

describe('running Florin', () => {
  it('rejects an invalid configuration and names every invalid variable', async () => {
    const { code, output } = await runToEnd({ PORT: 'http', DATABASE_URL: 'sqlite://x', FLORIN_SEED: 'some' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'DATABASE_URL', 'FLORIN_SEED']) expect(output).toContain(`- ${name} must be`);
  });

  /** One folder for all of them, because each start takes seconds. */
  describe('again on the same data folder', () => {
    const dataDirectory = newDataDirectory();
    let credentials: Credentials;
    let key: string;
    let acknowledged: number;
    let balance: unknown;
    const balanceAt = (florin: Florin): Promise<{ readonly available: string }> =>
      new ApiClient(florin.baseUrl, key).balance() as Promise<{ available: string }>;

    afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

    it('rejects a second process on the folder, and responds to running requests before it stops', async () => {
      const first = await Florin.start({ dataDirectory, env: { RATE_LIMIT_SANDBOX: '0' } });
      credentials = first.credentials;
      key = credentials.companies[0]!.keys.sandbox;
      const client = new ApiClient(first.baseUrl, key);
      await client.fund('42');
      const second = await runToEnd({ FLORIN_DATA_DIR: dataDirectory, PORT: '0' });
      expect(second.code).toBe(1);
      expect(second.output).toMatch(/already running as process \d+/);
      const responses = Array.from({ length: 300 }, () =>
        client.fund('1').then(
          ({ status }) => status,
          () => 'rejected',
        ),
      );
      // From here on, some connections are idle while others are busy.
      await Promise.race(responses);
      const code = first.stop();
      const results = await Promise.all(responses);
      expect(await code).toBe(0);
      acknowledged = results.filter((status) => status === 201).length;
      expect(results.filter((status) => status !== 201 && status !== 'rejected')).toEqual([]);
    });

    it('continues with the same data and credentials, and does not wait for idle connections when it stops', async () => {
      const second = await Florin.start({ dataDirectory, env: { SHUTDOWN_TIMEOUT_SECONDS: '6' } });
      expect(second.credentials).toEqual({ ...credentials, baseUrl: second.baseUrl });
      balance = await balanceAt(second);
      expect(Number((await balanceAt(second)).available)).toBeGreaterThanOrEqual(42 + acknowledged);
      const { body } = await new ApiClient(second.baseUrl, credentials.operatorToken).get('/operator/v1/companies');
      expect(body['data']).toHaveLength(2);
      const silent = connect(Number(new URL(second.baseUrl).port), '127.0.0.1');
      await once(silent, 'connect');
      expect(await second.stop()).toBe(0);
      silent.destroy();
    });

    it('passes a verification, a replay and an audit', () => {
      const folder = { FLORIN_DATA_DIR: dataDirectory };
      expect(runCli(['verify', '--json'], folder)).toMatchObject({ broken: [] });
      runCli(['replay', '--json'], folder);
      const audit = runCli(['audit', '--json'], folder) as { flaws: unknown; readModels: { state: string }[] };
      expect(audit.flaws).toEqual([]);
      expect(new Set(audit.readModels.map(({ state }) => state))).toEqual(new Set(['agrees']));
    });

    it('continues after them, limits the rate, and stops its database when the terminal hangs up', async () => {
      const third = await Florin.start({ dataDirectory, env: { RATE_LIMIT_SANDBOX: '5' } });
      expect(await balanceAt(third)).toEqual(balance);
      const client = new ApiClient(third.baseUrl, key);
      const responses = await Promise.all(Array.from({ length: 30 }, () => client.get('/api/v1/balance')));
      const limited = responses.filter(({ status }) => status === 429);
      expect(limited.length).toBeGreaterThan(0);
      for (const { body, headers } of limited) {
        expect(body).toMatchObject({ statusCode: 429, code: 'rate_limited' });
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
      expect(responses.find(({ status }) => status === 200)!.headers.get('ratelimit-policy')).toMatch(/q=5;w=1/);
      expect(await third.stop('SIGHUP')).toBe(0);
      expect(existsSync(join(dataDirectory, 'postgres/data/postmaster.pid'))).toBe(false);
    });

    describe('after its credentials were deleted', () => {
      let acme: Credentials['companies'][number];
      const deleteCredentials = () => rmSync(join(dataDirectory, 'credentials.json'));

      it('creates new demo keys while the old ones stay valid', async () => {
        deleteCredentials();
        const fourth = await Florin.start({ dataDirectory });
        expect(fourth.credentials.operatorToken).not.toBe(credentials.operatorToken);
        for (const { companies } of [credentials, fourth.credentials]) {
          const client = new ApiClient(fourth.baseUrl, companies[1]!.keys.live);
          expect((await client.get('/api/v1/balance')).status).toBe(200);
        }
        const operator = new ApiClient(fourth.baseUrl, fourth.credentials.operatorToken);
        acme = fourth.credentials.companies[0]!;
        const { body } = await operator.get(`/operator/v1/companies/${fourth.credentials.companies[1]!.id}/keys`);
        const live = (body['data'] as { id: string; environment: string }[]).find(
          (found) => found.environment === 'live',
        )!;
        expect((await operator.post(`/operator/v1/keys/${live.id}/revoke`, {})).status).toBe(200);
        await fourth.stop();
        deleteCredentials();
      });

      it.each(['without the credentials', 'with the new credentials'])('keeps a revoked key revoked, %s', async () => {
        const next = await Florin.start({ dataDirectory });
        const [acmeNow, idaNow] = next.credentials.companies;
        expect(acmeNow!.keys.sandbox).not.toBe(acme.keys.sandbox);
        const statuses = [acmeNow!.keys.sandbox, acmeNow!.keys.live, idaNow!.keys.sandbox, idaNow!.keys.live].map(
          async (each) => (await new ApiClient(next.baseUrl, each).get('/api/v1/balance')).status,
        );
        expect(await Promise.all(statuses)).toEqual([200, 200, 200, 401]);
        await next.stop();
      });
    });
  });

  it('makes its credentials readable by its owner only', async () => {
    const { dataDirectory } = await sharedFlorin();
    expect(statSync(join(dataDirectory, 'credentials.json')).mode & 0o777).toBe(0o600);
  });

  it('starts without demo data and with the configured operator token, which it does not write to a file', async () => {
    const token = 'an-operator-token-of-my-own';
    const florin = await Florin.start({ env: { FLORIN_SEED: 'none', FLORIN_OPERATOR_TOKEN: token } });
    expect(existsSync(join(florin.dataDirectory, 'credentials.json'))).toBe(false);
    const { body } = await new ApiClient(florin.baseUrl, token).get('/operator/v1/companies');
    expect(body).toEqual({ data: [] });
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  it('reports its health, and serves the API reference', async () => {
    const florin = await sharedFlorin();
    const client = new ApiClient(florin.baseUrl, undefined);
    expect((await client.get('/health/live')).body).toEqual({ status: 'live' });
    expect((await client.get('/health/ready')).body).toMatchObject({
      status: 'ready',
      checks: { database: { ok: true } },
    });
    const { body } = await client.get('/api/v1/openapi.json');
    expect(body).toMatchObject({ openapi: expect.stringMatching(/^3\.1/), info: { version: '1.1.0' } });
    expect(Object.keys(body['paths'] as object)).toEqual(
      expect.arrayContaining(['/api/v1/sandbox/funding', '/api/v1/balance', '/api/v1/account-statements']),
    );
    expect((await client.get('/reference')).text).toContain('/api/v1/sandbox/funding');
    expect((await client.get('/nowhere')).body).toMatchObject({ statusCode: 404, code: 'not_found' });
  });
});
