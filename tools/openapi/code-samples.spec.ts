import { apiDocuments } from '@florin/http-api';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

interface Sample {
  readonly label: string;
  readonly source: string;
}

const root = resolve(__dirname, '../..');
const { paths } = (
  ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file)).config as {
    compilerOptions: ts.CompilerOptions;
  }
).compilerOptions;

const samples = Object.values(apiDocuments('http://localhost:3000').public.paths)
  .flatMap((methods) => Object.values(methods))
  .map((operation) => ({ name: operation.operationId, samples: operation['x-codeSamples'] as readonly Sample[] }));

describe('The code samples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-samples-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('show every operation with curl, TypeScript and Python', () => {
    expect(samples.length).toBeGreaterThan(40);
    for (const { samples: each } of samples) {
      expect(each.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
    }
  });

  it('compile with the SDK', () => {
    const files = samples.map(({ name, samples: each }) => {
      const file = join(folder, `${name}.ts`);
      writeFileSync(file, each.find(({ label }) => label === 'TypeScript')!.source);
      return file;
    });
    const program = ts.createProgram(files, {
      ...{ strict: true, noEmit: true, skipLibCheck: true, baseUrl: root, paths: paths! },
      ...{ typeRoots: [join(root, 'node_modules/@types')], types: ['node'] },
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    expect(problems).toEqual([]);
  });
});
