import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InstalledPackages, root, run, runTool } from './testing/installed-packages';

/** Compilers and npm take seconds. */
jest.setTimeout(120_000);

/** What both programs do with the packages. */
const usage = `
const body = JSON.stringify({ id: 'evt_1', type: 'card.created', data: { object: {} } });
const header = signWebhook(body, 'whsec_x');
const events = [
  verifyWebhook(body, header, 'whsec_x'),
  await verifyOnTheWeb(body, header, 'whsec_x'),
  await webhooks.verify(body, header, 'whsec_x'),
];
const florin = new Florin({ apiKey: 'fl_test_x', fetch: async () => new Response('{"available":"1.00"}') });
const { available } = await florin.balance.get();
console.log(JSON.stringify([...events.map(({ id }) => id), available, florin.environment, typeof ApiError.is]));
`;

const esmProgram = `
import { ApiError, Florin, webhooks } from '@florin/sdk';
import { signWebhook, verifyWebhook } from '@florin/webhook-verifier';
import { verifyWebhook as verifyOnTheWeb } from '@florin/webhook-verifier/web';
${usage}`;

const cjsProgram = `
const { ApiError, Florin, webhooks } = require('@florin/sdk');
const { signWebhook, verifyWebhook } = require('@florin/webhook-verifier');
const { verifyWebhook: verifyOnTheWeb } = require('@florin/webhook-verifier/web');
void (async () => {${usage}})();`;

const typedProgram = `
import { ApiError, Florin, type Operation, type OperationRequest, webhooks } from '@florin/sdk';
import { verifyWebhook, type WebhookEvent } from '@florin/webhook-verifier';
import { verifyWebhook as verifyOnTheWeb } from '@florin/webhook-verifier/web';

const florin = new Florin({ apiKey: 'fl_test_x' });
const request: OperationRequest = { type: 'unload', cardId: 'c1', amount: '1.00', expectedTotal: '1.00' };

export async function use(): Promise<void> {
  const operation: Operation = await florin.operations.create(request);
  const { data, replayed } = await florin.operations.get(operation.id).withResponse();
  for await (const { id } of florin.cards.list({ status: 'active', metadata: { order: '1' } })) console.log(id, replayed);
  const payment = await florin.sandbox.createTransaction({ cardId: 'c1', amount: '1.00', merchant: 'Shop' });
  const event = await webhooks.verify('{}', null, 'whsec_x');
  if (event.type === 'operation.completed') console.log(event.data.object.status satisfies Operation['status']);
  const plain: WebhookEvent = verifyWebhook('{}', undefined, 'whsec_x');
  const later: WebhookEvent = await verifyOnTheWeb('{}', undefined, 'whsec_x');
  console.log(plain.id, later.id, payment.merchant, data.result.cardId?.length);

  // @ts-expect-error A service has a recipient and no card.
  await florin.operations.create({ ...request, type: 'service' });
  // @ts-expect-error There is no such status.
  florin.operations.list({ status: 'gone' });
  // @ts-expect-error There is no such code.
  ApiError.is(undefined, 'no_such_code');
}
`;

const nodeNext = { module: 'node16', moduleResolution: 'node16' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const settings = { target: 'es2022', strict: true, noEmit: true, types: [], skipDefaultLibCheck: true };
const configOf = (compilerOptions: object, ...files: readonly string[]) =>
  JSON.stringify({ compilerOptions: { ...settings, ...compilerOptions }, files });

/** The whole program of a page, with the types of Node. */
const exampleOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block]) => block).join('\n');
const withNode = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'], skipLibCheck: true };

const outcome = ['evt_1', 'evt_1', 'evt_1', '1.00', 'sandbox', 'function'];

describe('The packages', () => {
  let installed: InstalledPackages;
  let esm: string;
  let cjs: string;

  beforeAll(() => {
    installed = new InstalledPackages('clients/typescript', 'clients/webhook-verifier');
    esm = installed.newProject('module', {
      'program.js': esmProgram,
      'program.ts': typedProgram,
      'example.ts': exampleOf('clients/typescript/README.md'),
      'node16.json': configOf(nodeNext, 'program.ts'),
      'bundler.json': configOf(bundler, 'program.ts'),
      'example.json': configOf({ ...bundler, ...withNode }, 'example.ts'),
    });
    cjs = installed.newProject('commonjs', {
      'program.js': cjsProgram,
      'program.ts': typedProgram,
      'node16.json': configOf(nodeNext, 'program.ts'),
    });
  });

  afterAll(() => installed.remove());

  it('contain only compiled files, their declarations and texts', () => {
    for (const { contents } of installed.packages) {
      expect(contents).toEqual(expect.arrayContaining(['README.md', 'dist/LICENSE', 'dist/esm/index.js']));
      expect(contents.filter((path) => !/^(README\.md|package\.json|dist\/.*)$/.test(path))).toEqual([]);
      expect(contents.filter((path) => /spec|testing/.test(path))).toEqual([]);
    }
  });

  it('are installed without dependencies', () => {
    for (const { name } of installed.packages) {
      const manifest = JSON.parse(readFileSync(join(esm, 'node_modules', name, 'package.json'), 'utf8')) as object;
      expect(manifest).not.toHaveProperty('dependencies');
      expect(manifest).not.toHaveProperty('peerDependencies');
      expect(manifest).not.toHaveProperty('private');
    }
  });

  it('work in an ES module', () => {
    expect(JSON.parse(run(esm, process.execPath, ['program.js']))).toEqual(outcome);
  });

  it('work with require', () => {
    expect(JSON.parse(run(cjs, process.execPath, ['program.js']))).toEqual(outcome);
  });

  it('need no module of Node, except where it is documented', () => {
    const imports = run(esm, 'grep', ['-rlE', 'node:|Buffer|process\\.', 'node_modules/@florin', '--include=*.js']);
    const inNode = /^node_modules\/@florin\/webhook-verifier\/dist\/(esm|cjs)\/node\//;
    expect(
      imports
        .trim()
        .split('\n')
        .filter((file) => !inNode.test(file)),
    ).toEqual([]);
  });

  it.each(['node16', 'bundler'])('have types in an ES module with %s', (resolution) => {
    expect(runTool(esm, 'tsc', ['-p', `${resolution}.json`])).toBe('');
  });

  it('have types with require', () => {
    expect(runTool(cjs, 'tsc', ['-p', 'node16.json'])).toBe('');
  });

  it('have types for the examples of the manual', () => {
    expect(runTool(esm, 'tsc', ['-p', 'example.json'])).toBe('');
  });

  it.each(['@florin/sdk', '@florin/webhook-verifier'])('have no finding of publint and attw: %s', (name) => {
    const { file } = installed.packages.find((each) => each.name === name)!;
    expect(runTool(root, 'publint', ['--strict', file])).toContain('All good');
    expect(runTool(root, 'attw', [file, '--format', 'ascii'])).toContain('No problems found');
  });
});
