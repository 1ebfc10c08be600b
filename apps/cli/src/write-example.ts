import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { CliContext } from './cli-context';
import { CommandFailed } from './cli-errors';
import { companyKey, type CompanyOptions } from './company-connection';
import { defaultUrl, readCredentials } from './connection';

const root = join(__dirname, '../../..');
const example = join(root, 'apps/cli/example');
const sdk = join(root, 'clients/typescript');

/** Copies the example project, with the address and a key of the local Florin in its `.env`. */
export function writeExample(context: CliContext, folder: string, options: CompanyOptions): void {
  if (!existsSync(example) || !existsSync(sdk)) {
    throw new CommandFailed('This installation has no sources. Run the command in a checkout of Florin.');
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CommandFailed(`${folder} is not empty. Choose a new folder.`);
  }
  const settings = settingsOf(context, options);
  mkdirSync(folder, { recursive: true });
  cpSync(example, folder, { recursive: true, filter: (file) => !/(node_modules|dist)$/.test(file) });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(folder), null, 2)}\n`);
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\ndist/\n.env\n');
  writeFileSync(join(folder, '.env'), settings, { mode: 0o600 });
  context.output(
    { folder: resolve(folder) },
    `Wrote an example to ${folder}. Run it: cd ${folder} && npm install && npm start`,
  );
}

/** A sandbox key: of the first company if none is chosen. */
function settingsOf(context: CliContext, options: CompanyOptions): string {
  const { credentials } = readCredentials(context.environment);
  const isChosen = options.key ?? options.company ?? context.environment.FLORIN_KEY;
  const company = isChosen ? options.company : credentials.companies?.[0]?.name;
  const key = companyKey(context, { ...options, company });
  const url = context.options.url ?? credentials.baseUrl ?? defaultUrl;
  return `FLORIN_URL=${url}\nFLORIN_KEY=${key}\n`;
}

function manifestOf(folder: string): object {
  const run = 'node --env-file=.env';
  return {
    name: basename(resolve(folder))
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-'),
    private: true,
    type: 'module',
    engines: { node: '>=20.6' },
    scripts: {
      build: 'tsc',
      start: `npm run --silent build && ${run} dist/src/main.js`,
      test: `npm run --silent build && ${run} --test dist/test/*.test.js`,
    },
    dependencies: { '@florin/sdk': `file:${relative(resolve(folder), sdk)}` },
    devDependencies: { '@types/node': '^20.19.9', typescript: '^5.9.3' },
  };
}
