import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

interface Sample {
  readonly file: string;
  readonly text: string;
  /** The violated rules; none if the text is allowed. */
  readonly breaks: readonly string[];
}

const project = '@nx/enforce-module-boundaries';
const statement = 'no-restricted-imports';

const inKernel = 'libs/kernel/src/sample.ts';
const inEventSourcing = 'libs/event-sourcing/src/sample.ts';
const inAudit = 'libs/audit/src/sample.ts';
const inLedgerDomain = 'libs/ledger/domain/src/account/sample.ts';
const inLedgerDomainSpec = 'libs/ledger/domain/src/account/sample.spec.ts';
const inLedgerApplication = 'libs/ledger/application/src/sample.ts';
const inOperationsDomain = 'libs/operations/domain/src/sample.ts';
const inEventStore = 'libs/adapters/event-store-postgres/src/sample.ts';
const inHttpApi = 'libs/http-api/src/v1/sample.controller.ts';
const inRuntime = 'libs/runtime/src/sample.ts';
const inCli = 'apps/cli/src/sample.ts';
const inSdk = 'clients/typescript/src/sample.ts';
const inE2e = 'apps/e2e/src/sample.ts';

function sideEffectOf(module: string): string {
  return `import '${module}';`;
}

function allowed(file: string, text: string): Sample {
  return { file, text, breaks: [] };
}

function forbidden(file: string, text: string, rule: string): Sample {
  return { file, text, breaks: [rule] };
}

const samples: readonly Sample[] = [
  // The dependency rule: a layer imports only lower layers.
  forbidden(inKernel, sideEffectOf('@florin/event-sourcing'), project),
  allowed(inEventSourcing, sideEffectOf('@florin/kernel')),
  forbidden(inEventSourcing, sideEffectOf('@florin/database'), project),
  allowed(inAudit, sideEffectOf('@florin/event-sourcing')),
  forbidden(inAudit, sideEffectOf('@florin/ledger-domain'), statement),
  forbidden(inAudit, sideEffectOf('@florin/ledger-application'), project),
  allowed('libs/audit/src/explain/sample.ts', sideEffectOf('@florin/ledger-domain')),
  allowed(inLedgerDomain, sideEffectOf('@florin/kernel')),
  forbidden(inLedgerDomain, sideEffectOf('@florin/event-sourcing'), project),
  allowed(inLedgerApplication, sideEffectOf('@florin/ledger-domain')),
  forbidden(inLedgerApplication, sideEffectOf('@florin/database'), project),
  forbidden(inEventStore, sideEffectOf('@florin/database'), project),
  allowed('libs/adapters/event-store-postgres/src/sample.spec.ts', sideEffectOf('@florin/database/testing')),
  allowed('libs/read-models/src/sample.ts', sideEffectOf('@florin/ledger-domain')),
  forbidden(inHttpApi, `export type { Sample } from '@florin/ledger-application';`, project),
  allowed(inRuntime, sideEffectOf('@florin/ledger-application')),
  allowed(inCli, sideEffectOf('@florin/runtime')),
  forbidden(inCli, sideEffectOf('@florin/all-in-one'), project),
  forbidden(inE2e, sideEffectOf('@florin/http-api'), project),
  allowed(inE2e, sideEffectOf('@florin/sdk')),

  // What others install has no dependencies.
  allowed(inSdk, sideEffectOf('@florin/webhook-verifier/web')),
  forbidden(inSdk, sideEffectOf('@florin/kernel'), project),
  forbidden(inSdk, sideEffectOf('node:crypto'), statement),
  allowed('clients/webhook-verifier/src/node/sample.ts', sideEffectOf('node:crypto')),
  forbidden('clients/webhook-verifier/src/web/sample.ts', sideEffectOf('node:crypto'), statement),

  // The context map: contexts share only message types, in the allowed direction.
  forbidden(inLedgerDomain, `export type { Sample } from '@florin/companies-domain';`, project),
  allowed(inOperationsDomain, `export type { Sample } from '@florin/ledger-domain';`),
  forbidden(inOperationsDomain, `export { sample } from '@florin/ledger-domain';`, statement),
  allowed(inHttpApi, `export type { Sample } from '@florin/ledger-domain';`),

  // Packages are imported by name, not by path.
  forbidden(inLedgerApplication, sideEffectOf('@florin/kernel/src/money'), statement),
  forbidden(inLedgerApplication, sideEffectOf('../../domain/src/index'), project),
  forbidden(inLedgerApplication, sideEffectOf('@florin/event-sourcing/testing'), statement),
  allowed(inLedgerDomainSpec, sideEffectOf('@florin/event-sourcing/testing')),
  allowed(inCli, sideEffectOf('@florin/runtime/tools')),
  forbidden(inKernel, sideEffectOf('@florin/runtime/tools'), project),

  // Vendors stay behind their adapters.
  allowed(inKernel, sideEffectOf('decimal.js')),
  forbidden(inKernel, sideEffectOf('rxjs'), statement),
  forbidden(inKernel, sideEffectOf('node:fs'), statement),
  forbidden(inLedgerDomain, sideEffectOf('decimal.js'), statement),
  forbidden(inLedgerDomain, sideEffectOf('node:crypto'), statement),
  allowed(inLedgerDomainSpec, sideEffectOf('fast-check')),
  allowed(inEventStore, sideEffectOf('pg')),
  forbidden(inEventStore, sideEffectOf('@nestjs/common'), statement),
  forbidden('libs/adapters/command-bus-in-process/src/sample.ts', sideEffectOf('pg'), statement),

  // A domain reads no clock, no random numbers and no environment.
  allowed(inLedgerDomain, 'export const day = (time: string) => new Date(time).getUTCDate();'),
  forbidden(inLedgerDomain, 'export const now = () => new Date();', 'no-restricted-syntax'),
  forbidden(inLedgerDomain, 'export const now = () => Date.now();', 'no-restricted-properties'),
  forbidden(inLedgerDomain, 'export const chance = () => Math.random();', 'no-restricted-properties'),
  forbidden(inLedgerDomain, 'export const port = () => process.env.PORT;', 'no-restricted-globals'),
  forbidden(inLedgerDomain, `export { randomId } from '@florin/kernel';`, statement),
  forbidden(inLedgerApplication, 'export const port = () => process.env.PORT;', 'no-restricted-properties'),
  allowed(inRuntime, 'export const port = () => process.env.PORT;'),
];

describe('module boundaries', () => {
  let verdicts: readonly (readonly string[])[];

  beforeAll(() => {
    // Jest cannot load ESLint and its configuration (ES modules), so a child process lints all samples.
    const output = execFileSync('node', ['tools/lint/lint-texts.mjs'], {
      cwd: resolve(__dirname, '../..'),
      input: JSON.stringify(samples),
      encoding: 'utf8',
    });
    verdicts = JSON.parse(output) as string[][];
  }, 60_000);

  it.each(samples.map((sample, index) => ({ ...sample, index, verb: sample.breaks.length ? 'rejects' : 'accepts' })))(
    '$verb in $file: $text',
    ({ index, breaks }) => {
      expect(verdicts[index]).toEqual(breaks);
    },
  );
});
