import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ApiClient } from './harness/client';
import { newDataDirectory, Product, runCli, runToEnd } from './harness/product';

describe('running the product', () => {
  it('refuses a wrong configuration and names every wrong variable', async () => {
    const { code, output } = await runToEnd({ PORT: 'http', DATABASE_URL: 'sqlite://x', FLORIN_SEED: 'some' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'DATABASE_URL', 'FLORIN_SEED']) expect(output).toContain(`- ${name} must be`);
  });

  it('goes on where it stopped, and keeps a second one off its folder', async () => {
    const first = await Product.start();
    const { credentials, dataDirectory } = first;
    const key = credentials.companies[0]!.keys.sandbox;
    await new ApiClient(first.baseUrl, key).fund('42');
    const intruder = await runToEnd({ FLORIN_DATA_DIR: dataDirectory, PORT: '0' });
    expect(intruder.code).toBe(1);
    expect(intruder.output).toMatch(/already running as process \d+/);
    expect(await first.stop()).toBe(0);

    const second = await Product.start({ dataDirectory });
    expect(second.credentials).toEqual({ ...credentials, baseUrl: second.baseUrl });
    expect(await new ApiClient(second.baseUrl, key).balance()).toMatchObject({ balance: '42.00' });
    const { body } = await new ApiClient(second.baseUrl, credentials.operatorToken).get('/operator/v1/companies');
    expect(body['data']).toHaveLength(2);
    expect(await second.stop()).toBe(0);
    expect(runCli(['verify', '--json'], { FLORIN_DATA_DIR: dataDirectory })).toMatchObject({ broken: [] });

    runCli(['replay', '--json'], { FLORIN_DATA_DIR: dataDirectory });
    expect(runCli(['audit', '--json'], { FLORIN_DATA_DIR: dataDirectory })).toMatchObject({
      ...{ flaws: [], readModels: [{ state: 'agrees' }, { state: 'agrees' }] },
    });
    const third = await Product.start({ dataDirectory });
    expect(await new ApiClient(third.baseUrl, key).balance()).toMatchObject({ balance: '42.00' });
    expect(await third.stop()).toBe(0);
    third.removeData();
  });

  it('stops its database when the terminal hangs up', async () => {
    const product = await Product.start();
    expect(await product.stop('SIGHUP')).toBe(0);
    expect(existsSync(join(product.dataDirectory, 'postgres/data/postmaster.pid'))).toBe(false);
    product.removeData();
  });

  it('keeps its credentials to its owner', async () => {
    const product = await Product.start();
    expect(statSync(join(product.dataDirectory, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(await product.stop()).toBe(0);
    product.removeData();
  });

  it('starts empty when told so, with the operator token it was given', async () => {
    const token = 'an-operator-token-of-my-own';
    const product = await Product.start({ env: { FLORIN_SEED: 'none', FLORIN_OPERATOR_TOKEN: token } });
    expect(product.credentials).toMatchObject({ operatorToken: token, companies: [] });
    const { body } = await new ApiClient(product.baseUrl, token).get('/operator/v1/companies');
    expect(body).toEqual({ data: [] });
    expect(await product.stop()).toBe(0);
    product.removeData();
  });

  it('makes new demo keys when the credentials are lost; the old ones go on for a while, and a revoked one stays revoked', async () => {
    const first = await Product.start();
    const { dataDirectory, credentials } = first;
    await first.stop();
    rmSync(join(dataDirectory, 'credentials.json'));
    const second = await Product.start({ dataDirectory });
    expect(second.credentials.operatorToken).not.toBe(credentials.operatorToken);
    for (const { companies } of [credentials, second.credentials]) {
      const client = new ApiClient(second.baseUrl, companies[1]!.keys.live);
      expect((await client.get('/api/v1/balance')).status).toBe(200);
    }
    const operator = new ApiClient(second.baseUrl, second.credentials.operatorToken);
    const [acme, ida] = second.credentials.companies;
    const { body } = await operator.get(`/operator/v1/companies/${ida!.id}/keys`);
    const revoked = (body['data'] as { id: string; environment: string }[]).find((key) => key.environment === 'live')!;
    expect((await operator.post(`/operator/v1/keys/${revoked.id}/revoke`, {})).status).toBe(200);
    await second.stop();

    rmSync(join(dataDirectory, 'credentials.json'));
    for (const start of ['without the credentials', 'with those that it has just made']) {
      const third = await Product.start({ dataDirectory });
      const [acmeNow, idaNow] = third.credentials.companies;
      expect({ start, isNew: acmeNow!.keys.sandbox !== acme!.keys.sandbox }).toEqual({ start, isNew: true });
      const statuses = [acmeNow!.keys.sandbox, acmeNow!.keys.live, idaNow!.keys.sandbox, idaNow!.keys.live].map(
        async (key) => (await new ApiClient(third.baseUrl, key).get('/api/v1/balance')).status,
      );
      expect(await Promise.all(statuses)).toEqual([200, 200, 200, 401]);
      await third.stop();
    }
    second.removeData();
  });

  it('answers what is under way when it is told to stop', async () => {
    const product = await Product.start({ env: { RATE_LIMIT_SANDBOX: '0' } });
    const client = new ApiClient(product.baseUrl, product.credentials.companies[0]!.keys.sandbox);
    await client.fund('1');
    const replies = Array.from({ length: 300 }, () =>
      client.fund('1').then(
        ({ status }) => status,
        () => 'refused',
      ),
    );
    // From here on connections become idle while others are still busy.
    await Promise.race(replies);
    const code = product.stop();
    const results = await Promise.all(replies);
    expect(await code).toBe(0);
    const acknowledged = results.filter((status) => status === 201).length;
    expect(results.filter((status) => status !== 201 && status !== 'refused')).toEqual([]);
    const again = await Product.start({ dataDirectory: product.dataDirectory });
    const after = new ApiClient(again.baseUrl, again.credentials.companies[0]!.keys.sandbox);
    const { available } = (await after.balance()) as { available: string };
    expect(Number(available)).toBeGreaterThanOrEqual(1 + acknowledged);
    await again.stop();
    again.removeData();
  });

  it('does not wait for a connection on which nobody says anything', async () => {
    const product = await Product.start({ env: { SHUTDOWN_TIMEOUT_SECONDS: '4' } });
    const silent = connect(Number(new URL(product.baseUrl).port), '127.0.0.1');
    await once(silent, 'connect');
    expect(await product.stop()).toBe(0);
    silent.destroy();
    product.removeData();
  });

  it('limits the rate, and says so in headers', async () => {
    const product = await Product.start({ env: { RATE_LIMIT_SANDBOX: '5' } });
    const client = new ApiClient(product.baseUrl, product.credentials.companies[0]!.keys.sandbox);
    const replies = await Promise.all(Array.from({ length: 30 }, () => client.get('/api/v1/balance')));
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    for (const { body, headers } of limited) {
      expect(body).toMatchObject({ statusCode: 429, code: 'rate_limited' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(replies.find(({ status }) => status === 200)!.headers.get('ratelimit-policy')).toMatch(/q=5;w=1/);
    expect(await product.stop()).toBe(0);
    product.removeData();
  });

  it('tells how it is', async () => {
    const product = await Product.start({ dataDirectory: newDataDirectory() });
    const client = new ApiClient(product.baseUrl, undefined);
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
    expect(await product.stop()).toBe(0);
    product.removeData();
  });
});
