/**
 * The `build` target of a package in clients/: `node tools/nx/build-client.mjs <folder>`. The compiler runs twice, for ES modules
 * and for CommonJS, with declarations for each, because that is what every resolver of modules and types understands.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [project] = process.argv.slice(2);
const dist = join(project, 'dist');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const formats = {
  esm: { type: 'module', options: [] },
  cjs: { type: 'commonjs', options: ['--module', 'commonjs', '--moduleResolution', 'node10'] },
};

/** The SDK contains the verification of webhooks, so that it has no dependencies. */
const verifier = { name: '@florin/webhook-verifier/web', dist: 'clients/webhook-verifier/dist' };

rmSync(dist, { recursive: true, force: true });
for (const [format, { type, options }] of Object.entries(formats)) {
  const output = join(dist, format);
  const settings = ['-p', join(project, 'tsconfig.build.json'), '--outDir', output, ...options];
  execFileSync(process.execPath, [tsc, ...settings], { stdio: 'inherit' });
  for (const file of filesIn(output)) writeFileSync(file, withRelativePaths(readFileSync(file, 'utf8')));
  if (project === 'clients/typescript') {
    for (const folder of ['verification', 'web'])
      cpSync(join(verifier.dist, format, folder), join(output, 'webhook-verifier', folder), { recursive: true });
  }
  // The nearest package.json says what a file is.
  writeFileSync(join(output, 'package.json'), `${JSON.stringify({ type })}\n`);
}
copyFileSync('LICENSE', join(dist, 'LICENSE'));

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.(js|d\.ts)$/.test(name))
    .map((name) => join(folder, name));
}

/** ES modules need the extension, which the compiler does not add. Only files in `src` itself import the verifier. */
function withRelativePaths(text) {
  return text
    .replaceAll(`'${verifier.name}'`, `'./webhook-verifier/web/index'`)
    .replaceAll(`"${verifier.name}"`, `"./webhook-verifier/web/index"`)
    .replace(/(\b(?:from|import|require)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\2/g, '$1$2$3.js$2');
}
