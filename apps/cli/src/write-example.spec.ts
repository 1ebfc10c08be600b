import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand } from './testing/run-command';

let folder: string;
let example: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-init-'));
  example = join(folder, 'My Example');
  const companies = [
    { name: 'Acme Corporation', keys: { sandbox: 'fl_test_acme', live: 'fl_live_acme' } },
    { name: 'Ida Individual', keys: { sandbox: 'fl_test_ida' } },
  ];
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify({ baseUrl: 'http://127.0.0.1:3000', companies }));
});

afterEach(() => rmSync(folder, { recursive: true }));

const init = (...args: readonly string[]) => runCommand(['init', example, ...args], { FLORIN_DATA_DIR: folder });
const read = (file: string) => readFileSync(join(example, file), 'utf8');

describe('florin init', () => {
  it('writes a project that uses the SDK of this checkout', async () => {
    expect(await init()).toMatchObject({ exitCode: 0, err: '', out: expect.stringContaining('npm install') });
    for (const file of ['README.md', 'tsconfig.json', 'src/main.ts', 'src/receiver.ts', 'test/receiver.test.ts']) {
      expect(existsSync(join(example, file))).toBe(true);
    }
    const { name, dependencies } = JSON.parse(read('package.json')) as {
      readonly name: string;
      readonly dependencies: { readonly '@florin/sdk': string };
    };
    expect(name).toBe('my-example');
    const sdk = resolve(example, dependencies['@florin/sdk'].replace(/^file:/, ''), 'package.json');
    expect(JSON.parse(readFileSync(sdk, 'utf8'))).toMatchObject({ name: '@florin/sdk' });
  });

  it('keeps the key of the local sandbox in a file that only its owner can read, and that Git ignores', async () => {
    await init();
    expect(read('.env')).toBe('FLORIN_URL=http://127.0.0.1:3000\nFLORIN_KEY=fl_test_acme\n');
    expect(statSync(join(example, '.env')).mode & 0o777).toBe(0o600);
    expect(read('.gitignore')).toContain('.env\n');
  });

  it.each<[readonly string[], string]>([
    [['--company', 'Ida Individual'], 'fl_test_ida'],
    [['--key', 'fl_test_typed'], 'fl_test_typed'],
  ])('uses the company of %j', async (args, key) => {
    await init(...args);
    expect(read('.env')).toContain(`FLORIN_KEY=${key}\n`);
  });

  it('does not write into a folder with files', async () => {
    await init();
    const again = await init();
    expect(again).toMatchObject({ exitCode: 1, err: expect.stringMatching(/is not empty\. Choose a new folder/) });
  });

  it('writes nothing without a key', async () => {
    rmSync(join(folder, 'credentials.json'));
    expect(await init()).toMatchObject({ exitCode: 2, err: expect.stringMatching(/No API key\. Set --key/) });
    expect(existsSync(example)).toBe(false);
  });
});
