import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from './commands';
import { type OperatorServer, startOperatorServer } from './testing/operator-server';
import { runLine } from './testing/run-line';

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

/** The data folder as a server leaves it. */
const folderWith = (text: string): string => {
  writeFileSync(join(folder, 'credentials.json'), text);
  return folder;
};

describe('Help', () => {
  it('tells of every command', async () => {
    const { exitCode, out, err } = await runLine(['--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    for (const { words, summary } of commands) expect(out).toMatch(new RegExp(`${words} .*${summary}`));
  });

  it('tells of the commands of a group', async () => {
    const { exitCode, out } = await runLine(['keys', '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('keys revoke <key-id>');
    expect(out).not.toContain('companies');
  });

  it.each(commands)('tells how to use $words, without asking for anything', async ({ words, options }) => {
    const { exitCode, out } = await runLine([...words.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain(`florin ${words}`);
    for (const option of [...Object.keys(options), 'url', 'token', 'json']) expect(out).toContain(`--${option}`);
  });
});

describe('The registry', () => {
  it('has no word that leads to two commands', () => {
    const words = commands.map((command) => command.words);
    expect(words.filter((one) => words.some((other) => `${other} `.startsWith(`${one} `) && other !== one))).toEqual(
      [],
    );
    expect(new Set(words).size).toBe(words.length);
  });

  it('uses an option of one name in one way, as the parser relies on', () => {
    const kinds = new Map<string, boolean>();
    for (const [name, { value }] of commands.flatMap(({ options }) => Object.entries(options))) {
      expect(kinds.get(name) ?? value === undefined).toBe(value === undefined);
      kinds.set(name, value === undefined);
    }
  });
});

describe('The way to the server', () => {
  const list = ['companies', 'list'];
  const tokenSeen = () => server.takeRequests().map(({ authorization }) => authorization);

  it('is what the server has left in its data folder', async () => {
    server.answer(200, { data: [] });
    const credentials = folderWith(JSON.stringify({ baseUrl: server.url, operatorToken: 'left' }));
    expect(await runLine(list, { FLORIN_DATA_DIR: credentials })).toMatchObject({ exitCode: 0 });
    expect(tokenSeen()).toEqual(['Bearer left']);
  });

  it('is rather what the environment says, and rather still what was typed', async () => {
    server.answer(200, { data: [] });
    const credentials = folderWith(JSON.stringify({ baseUrl: 'http://127.0.0.1:1', operatorToken: 'left' }));
    const environment = { FLORIN_DATA_DIR: credentials, FLORIN_OPERATOR_TOKEN: 'set' };
    await runLine([...list, '--url', `${server.url}/`], environment);
    await runLine(['--token', 'typed', ...list, '--url', server.url], environment);
    expect(tokenSeen()).toEqual(['Bearer set', 'Bearer typed']);
  });

  it('must be known', async () => {
    const { exitCode, err } = await runLine(list);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/There is no operator token\. Give it with --token or FLORIN_OPERATOR_TOKEN, or start Florin/);
  });

  it('is not guessed from a file that cannot be read', async () => {
    const { exitCode, err } = await runLine(list, { FLORIN_DATA_DIR: folderWith('{"baseUrl":') });
    expect(exitCode).toBe(2);
    expect(err).toMatch(/credentials\.json cannot be read/);
  });

  it('is an address', async () => {
    for (const url of ['localhost:3000', 'http://', 'ftp://127.0.0.1']) {
      const { exitCode, err } = await runLine([...list, '--token', 't', '--url', url]);
      expect(exitCode).toBe(2);
      expect(err).toContain(`${url} is not an address`);
    }
  });
});

describe('When it does not work', () => {
  const list = (url = server.url, ...more: readonly string[]) =>
    runLine(['companies', 'list', '--token', 't', '--url', url, ...more]);

  it('says how to start a server that is not running', async () => {
    const gone = await startOperatorServer();
    await gone.close();
    const { exitCode, out, err } = await list(gone.url);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(err).toBe(
      `Error: Florin is not running at ${gone.url}. Start it with \`npm start\`, or say with --url where it runs.\n`,
    );
  });

  it('says what the server says', async () => {
    const refusal = { statusCode: 404, message: 'There is no company c1', code: 'not_found', requestId: 'r1' };
    server.answer(404, refusal);
    expect(await list()).toEqual({ exitCode: 1, out: '', err: 'Error: There is no company c1\n' });
    const { exitCode, out, err } = await list(server.url, '--json');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(JSON.parse(err)).toEqual({ error: refusal });
  });

  it('says what to do about a token that is refused', async () => {
    server.answer(401, { statusCode: 401, message: 'The operator token is wrong.', code: 'invalid_key' });
    expect((await list()).err).toBe(
      'Error: The operator token is wrong. Give the right token with --token or FLORIN_OPERATOR_TOKEN.\n',
    );
  });

  it('tells a stranger from Florin', async () => {
    server.answer(502, '<html>');
    expect(await list()).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/answers 502; is Florin running there/),
    });
    server.answer(200, '<html>');
    expect(await list()).toMatchObject({ exitCode: 1, err: expect.stringMatching(/is not Florin/) });
  });

  it('does not carry the token elsewhere', async () => {
    server.answer(307, {});
    expect(await list()).toMatchObject({ exitCode: 1, err: expect.stringMatching(/redirect/) });
    expect(server.takeRequests()).toHaveLength(1);
  });
});
