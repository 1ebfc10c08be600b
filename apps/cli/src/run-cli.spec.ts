import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathOf } from './florin-command';
import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runCommand } from './testing/run-command';
import { runnableCommands } from './florin-help';
import { testProgram } from './testing/test-program';

let server: OperatorServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-cli-'));
  server = await startOperatorServer();
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The data folder as a server writes it. */
const folderWith = (text: string): string => {
  writeFileSync(join(folder, 'credentials.json'), text);
  return folder;
};

const commands = runnableCommands(testProgram());
const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');

describe('Help', () => {
  it('lists every command', async () => {
    const { exitCode, out, err } = await runCommand(['--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(commands).toHaveLength(72);
    for (const command of commands) expect(unwrapped(out)).toContain(command.description());
    expect(unwrapped(out)).toContain(
      'Exit codes: 0 success, 1 the command failed or found problems, 2 wrong usage, 3 it could not run or got no response.',
    );
  });

  it('lists the commands of a group', async () => {
    const { exitCode, out } = await runCommand(['keys', '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('keys revoke <key-id>');
    expect(out).not.toContain('companies');
  });

  it.each(commands.map((command) => ({ path: pathOf(command), command })))(
    'describes the options of $path without sending a request',
    async ({ path, command }) => {
      const { exitCode, out } = await runCommand([...path.split(' ').slice(1), '--help']);
      expect(exitCode).toBe(0);
      expect(out).toContain(`Usage: ${path}`);
      for (const { long } of command.options) expect(out).toContain(`${long} `);
      for (const option of ['url', 'token', 'json']) expect(out).toContain(`--${option} `);
    },
  );

  it('marks required options', async () => {
    const { out } = await runCommand(['companies', 'activate', '--help']);
    expect(unwrapped(out)).toMatch(/--capability <capability> [^-]*\(required\)/);
    expect(unwrapped(out)).not.toMatch(/--json [^-]*\(required\)/);
  });

  it('prints the version', async () => {
    expect(await runCommand(['--version'])).toEqual({
      exitCode: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
      err: '',
    });
  });
});

describe('The connection', () => {
  const list = ['companies', 'list'];
  const tokenSeen = () => server.takeRequests().map(({ authorization }) => authorization);

  it('defaults to the credentials in the data folder', async () => {
    server.respondWith(200, { data: [] });
    const credentials = folderWith(JSON.stringify({ baseUrl: server.url, operatorToken: 'stored' }));
    expect(await runCommand(list, { FLORIN_DATA_DIR: credentials })).toMatchObject({ exitCode: 0 });
    expect(tokenSeen()).toEqual(['Bearer stored']);
  });

  it('prefers the environment, and options over the environment', async () => {
    server.respondWith(200, { data: [] });
    const credentials = folderWith(JSON.stringify({ baseUrl: 'http://127.0.0.1:1', operatorToken: 'stored' }));
    const environment = { FLORIN_DATA_DIR: credentials, FLORIN_OPERATOR_TOKEN: 'set' };
    await runCommand([...list, '--url', `${server.url}/`], environment);
    await runCommand(['--token', 'typed', ...list, '--url', server.url], environment);
    expect(tokenSeen()).toEqual(['Bearer set', 'Bearer typed']);
  });

  it('requires an operator token', async () => {
    const { exitCode, err } = await runCommand(list);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/No operator token\. Set --token or FLORIN_OPERATOR_TOKEN, or start Florin/);
  });

  it('rejects a credentials file that cannot be parsed', async () => {
    const { exitCode, err } = await runCommand(list, { FLORIN_DATA_DIR: folderWith('{"baseUrl":') });
    expect(exitCode).toBe(2);
    expect(err).toMatch(/Cannot read \S+credentials\.json/);
  });

  it('rejects an invalid address', async () => {
    for (const url of ['localhost:3000', 'http://', 'ftp://127.0.0.1']) {
      const { exitCode, err } = await runCommand([...list, '--token', 't', '--url', url]);
      expect(exitCode).toBe(2);
      expect(err).toContain(`Invalid --url ${url}.`);
    }
  });
});

describe('A failed request', () => {
  const list = (url = server.url, ...more: readonly string[]) =>
    runCommand(['companies', 'list', '--token', 't', '--url', url, ...more]);

  it('explains how to start a server that is not running', async () => {
    const stopped = await startOperatorServer();
    await stopped.close();
    const { exitCode, out, err } = await list(stopped.url);
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toBe(
      `Error: Florin is not running at ${stopped.url}. Start it with \`npm start\`, or set --url to its address.\n`,
    );
  });

  it('prints the error of the server', async () => {
    const error = { statusCode: 404, message: 'There is no company c1', code: 'not_found', requestId: 'r1' };
    server.respondWith(404, error);
    expect(await list()).toEqual({ exitCode: 1, out: '', err: 'Error: There is no company c1\n' });
    const { exitCode, out, err } = await list(server.url, '--json');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(JSON.parse(err)).toEqual({ error });
  });

  it('gives advice when the token is rejected', async () => {
    server.respondWith(401, { statusCode: 401, message: 'The operator token is wrong.', code: 'invalid_key' });
    expect((await list()).err).toBe(
      'Error: The operator token is wrong. Set the correct token with --token or FLORIN_OPERATOR_TOKEN.\n',
    );
  });

  it('recognizes a server that is not Florin', async () => {
    server.respondWith(502, '<html>');
    expect(await list()).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/returned 502. Is this Florin\?/),
    });
    server.respondWith(200, '<html>');
    expect(await list()).toMatchObject({ exitCode: 1, err: expect.stringMatching(/is not Florin/) });
  });

  it('does not follow redirects with the token', async () => {
    server.respondWith(307, {});
    expect(await list()).toMatchObject({ exitCode: 3, err: expect.stringMatching(/redirect/) });
    expect(server.takeRequests()).toHaveLength(1);
  });
});
