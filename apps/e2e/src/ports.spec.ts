import { freePort } from '@florin/dev-platform';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ApiClient } from './harness/client';
import { Florin, runCli, runToEnd } from './harness/florin';
import { newDataDirectory } from './harness/florin-process';
import { composition } from './harness/running-florin';

/** In a cluster on one machine, the services cannot share these ports. */
const describeInOneProcess = composition === 'all-in-one' ? describe : describe.skip;

describeInOneProcess('Separate ports', () => {
  let florin: Florin;
  let [publicPort, operatorPort, metricsPort]: ApiClient[] = [];

  beforeAll(async () => {
    const [operator, metrics] = [await freePort(), await freePort()];
    florin = await Florin.start({ env: { OPERATOR_PORT: String(operator), METRICS_PORT: String(metrics) } });
    const { baseUrl, credentials } = florin;
    const clientAt = (url: string): ApiClient => new ApiClient(url, credentials.operatorToken);
    publicPort = clientAt(baseUrl);
    operatorPort = clientAt(`http://127.0.0.1:${operator}`);
    metricsPort = clientAt(`http://127.0.0.1:${metrics}`);
    expect(credentials).toMatchObject({ operatorUrl: `http://127.0.0.1:${operator}` });
  });
  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  const statusesAt = async (path: string): Promise<readonly number[]> =>
    Promise.all([publicPort, operatorPort, metricsPort].map(async (client) => (await client!.get(path)).status));

  it.each([
    ['/operator/v1/companies', [404, 200, 404]],
    ['/metrics', [404, 404, 200]],
    ['/health/live', [200, 200, 200]],
    ['/health/ready', [200, 200, 200]],
    ['/reference', [200, 404, 404]],
    ['/api/v1/balance', [401, 404, 404]],
    ['/nowhere', [404, 404, 404]],
    // Another spelling of a path leads to the same route.
    ['/%6fperator/v1/companies', [404, 200, 404]],
    ['/metric%73', [404, 404, 200]],
  ])('serve %s with the statuses %j on the public, the operator and the metrics port', async (path, statuses) => {
    expect(await statusesAt(path)).toEqual(statuses);
  });

  it('give the usual error for a path of another port', async () => {
    const unknown = await publicPort!.get('/nowhere');
    const hidden = await publicPort!.get('/operator/v1/companies');
    const { requestId, ...body } = hidden.body;
    expect(unknown.body).toMatchObject({ ...body, statusCode: 404, code: 'not_found' });
    expect(hidden.headers.get('x-request-id')).toBe(requestId);
    expect((await publicPort!.post('/operator/v1/companies', { name: 'Acme', kind: 'corporate' })).status).toBe(404);
  });

  it('are found by the command line', () => {
    const folder = { FLORIN_DATA_DIR: florin.dataDirectory };
    expect(runCli(['companies', 'list', '--json'], folder)).toMatchObject({ data: [{}, {}] });
  });
});

describeInOneProcess('A separate port', () => {
  it('in use is reported with its variable', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const env = { PORT: '0', OPERATOR_PORT: String(port), FLORIN_DATA_DIR: newDataDirectory() };
    const { code, output } = await runToEnd(env);
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} is already in use on 127.0.0.1. Set OPERATOR_PORT to a free one`);
    other.close();
  });
});
