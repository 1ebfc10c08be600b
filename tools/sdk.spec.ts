import { Florin } from '@florin/sdk';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

describe('The TypeScript SDK', () => {
  it('has the types of docs/openapi.json (otherwise run `npm run generate:sdk`)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'florin-sdk-'));
    execFileSync(process.execPath, ['tools/generate-sdk-types.mjs', join(folder, 'openapi.ts')], { cwd: root });
    const generated = readFileSync(join(folder, 'openapi.ts'), 'utf8');
    rmSync(folder, { recursive: true });
    expect(read('clients/typescript/src/generated/openapi.ts')).toBe(generated);
  }, 60_000);

  const { paths } = JSON.parse(read('docs/openapi.json')) as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => each.operationId));
  const florin = new Florin({ apiKey: 'fl_test_x' }) as unknown as Record<string, Record<string, unknown>>;

  it.each(operations)('has a method for the operation %s', (operationId) => {
    const [resource = '', verb = ''] = operationId.split('.');
    expect(typeof florin[resource]?.[verb]).toBe('function');
  });
});
