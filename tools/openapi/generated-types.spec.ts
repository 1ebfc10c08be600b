import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../..');

/** Compiles only if the generated types are exact. */
const client = `
import type { components, operations, webhooks } from './types';

type Schemas = components['schemas'];
type Body<Id extends keyof operations> = operations[Id] extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

export const topup: Body<'operations.create'> = { type: 'topup', productId: 'p', cardId: 'c', amount: '1', expectedTotal: '1' };
// @ts-expect-error a topup has no holder
export const wrong: Body<'operations.create'> = { type: 'topup', productId: 'p', holderId: 'h', amount: '1', expectedTotal: '1' };
export const status: Schemas['CardStatus'] = 'frozen';
// @ts-expect-error not a status
export const unknown: Schemas['CardStatus'] = 'melted';
export function amountOf(event: Schemas['WebhookEvent']): string | undefined {
  return event.type === 'operation.completed' ? event.data.object.amount : undefined;
}
export type Delivery = webhooks['card.updated']['post']['requestBody']['content']['application/json'];
export type Code = operations['cards.freeze']['responses']['400']['content']['application/json']['code'];
export const code: Code = 'card_not_active';
`;

describe('The output of openapi-typescript', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-openapi-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['openapi.json', 'openapi-operator.json'])('compiles in strict mode for %s', (name) => {
    const bin = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    execFileSync(process.execPath, [bin, join(root, 'docs', name), '--output', join(folder, 'types.ts')], {
      stdio: 'pipe',
    });
    const files = [join(folder, 'types.ts')];
    if (name === 'openapi.json') {
      files.push(join(folder, 'client.ts'));
      writeFileSync(files[1]!, client);
    }
    const program = ts.createProgram(files, {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      lib: ['lib.es2022.d.ts'],
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(problems).toEqual([]);
    expect(readFileSync(files[0]!, 'utf8')).toContain('export interface operations');
  });
});
