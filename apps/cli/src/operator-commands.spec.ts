import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';

let server: OperatorServer;

beforeAll(async () => {
  server = await startOperatorServer();
});

afterAll(() => server.close());

const run = (...args: readonly string[]) => runCommand([...args, '--url', server.url, '--token', 'secret']);

const operator = {
  id: 'o1',
  name: 'Ada',
  email: 'ada@example.com',
  role: 'support',
  hint: 'wxyz',
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: { kind: 'operator', id: 'bootstrap' },
};
const issued = { id: 'o1', token: 'fl_op_abc' };
const create = ['operators', 'create', '--name', 'Ada', '--email', 'ada@example.com'];

describe('Operator commands', () => {
  it.each<[readonly string[], string, unknown, unknown]>([
    [['operators', 'list'], 'GET /operator/v1/operators?limit=50', undefined, { data: [operator] }],
    [
      [...create, '--role', 'support'],
      'POST /operator/v1/operators',
      { name: 'Ada', email: 'ada@example.com', role: 'support' },
      issued,
    ],
    [
      ['operators', 'set-role', 'o1', '--role', 'finance'],
      'POST /operator/v1/operators/o1/role',
      { role: 'finance' },
      operator,
    ],
    [['operators', 'rotate', 'o1'], 'POST /operator/v1/operators/o1/rotate', undefined, issued],
    [['operators', 'disable', '../o1'], 'POST /operator/v1/operators/..%2Fo1/disable', undefined, operator],
    [['operators', 'show'], 'GET /operator/v1/operators/me', undefined, { id: 'bootstrap', role: 'admin' }],
    [['operators', 'show', 'o1'], 'GET /operator/v1/operators/o1', undefined, operator],
  ])('%j sends %s', async (args, line, body, response) => {
    server.respondWith(200, response);
    const result = await run(...args, '--json');
    const contentType = body === undefined ? undefined : 'application/json';
    expect(server.takeRequests()).toEqual([{ line, body, authorization: 'Bearer secret', contentType }]);
    expect(result).toMatchObject({ exitCode: 0, err: '' });
    expect(JSON.parse(result.out)).toEqual(response);
  });

  it('print operators as a table', async () => {
    const disabled = { disabledAt: '2026-03-01T00:00:00.000Z', disabledBy: { kind: 'operator', id: 'o2' } };
    const changed = { roleChangedAt: '2026-02-01T00:00:00.000Z', roleChangedBy: { kind: 'operator', id: 'o3' } };
    server.respondWith(200, { data: [operator, { ...operator, ...changed, ...disabled, createdBy: undefined }] });
    const [heading, enabled, former] = (await run('operators', 'list')).out.split('\n');
    expect(heading).toMatch(
      /^ID +NAME +E-MAIL +ROLE +ENDS IN +CREATED +CREATED BY +ROLE CHANGED +ROLE CHANGED BY +DISABLED +DISABLED BY$/,
    );
    expect(enabled).toMatch(/^o1 +Ada +ada@example\.com +support +wxyz +2026-01\S+ +operator bootstrap +- +- +- +-$/);
    expect(former).toMatch(/ - +2026-02\S+ +operator o3 +2026-03\S+ +operator o2$/);
    server.respondWith(200, { data: [] });
    expect((await run('operators', 'list')).out).toBe('There are no operators.\n');
  });

  it('show the operator of the token', async () => {
    server.respondWith(200, { id: 'bootstrap', role: 'admin' });
    expect((await run('operators', 'show')).out).toBe('id    bootstrap\nrole  admin\n');
  });

  it('advise to save a new token', async () => {
    server.respondWith(200, issued);
    const { out } = await run('operators', 'rotate', 'o1');
    expect(out).toContain('fl_op_abc');
    expect(out).toContain('cannot show it again');
  });

  it.each<[readonly string[], RegExp]>([
    [create, /missing --role <role>/],
    [[...create, '--role', 'owner'], /'owner' is invalid. Allowed choices are viewer, support, finance, admin/],
    [['operators', 'set-role', 'o1'], /missing --role <role>/],
    [['operators', 'disable'], /missing <operator-id>/],
  ])('reject %j without sending a request', async (args, message) => {
    server.respondWith(200, {});
    const { exitCode, err } = await run(...args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(message);
    expect(server.takeRequests()).toEqual([]);
  });

  it.each(['create', 'set-role'])('%s --help promises only what the roles may do', async (command) => {
    const { out } = await run('operators', command, '--help');
    expect(out).toContain('viewer reads everything; support also changes the status of holders');
    expect(out).not.toMatch(/cards|webhooks/);
  });
});
