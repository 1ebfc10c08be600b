/** Checks the Python client, builds and installs its wheel, and tests it against a temporary Florin. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { client, provideClientEnvironment } from './client.mjs';
import { run } from './environment.mjs';

const { startTemporaryProduct } = createRequire(import.meta.url)('@florin/dev-platform');
const { values } = parseArgs({ options: { outputFile: { type: 'string' } } });

const bin = provideClientEnvironment();
if (bin !== undefined) {
  check();
  installWheel();
  await test();
}

function inClient(program, args, env = {}) {
  run(join(bin, program), args, { cwd: client, env });
}

function check() {
  inClient('python', ['generate_models.py', '--check']);
  inClient('ruff', ['format', '--no-cache', '--check', '--quiet', '.']);
  inClient('ruff', ['check', '--no-cache', '--quiet', '.']);
  inClient('mypy', ['--cache-dir', join(bin, '../mypy')]);
}

function installWheel() {
  const folder = mkdtempSync(join(tmpdir(), 'florin-wheel-'));
  try {
    const local = ['--quiet', '--no-deps', '--no-index'];
    inClient('python', ['-m', 'pip', 'wheel', ...local, '--no-build-isolation', '--wheel-dir', folder, '.']);
    const wheels = readdirSync(folder).map((name) => join(folder, name));
    inClient('python', ['-m', 'pip', 'install', ...local, '--force-reinstall', ...wheels]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function test() {
  const product = await startTemporaryProduct({ PATH: process.env['PATH'], WEBHOOK_ALLOW_LOOPBACK: 'true' });
  const results = values.outputFile === undefined ? {} : { FLORIN_TEST_RESULTS: resolve(values.outputFile) };
  try {
    const apiKey = product.companies[0].keys.sandbox;
    inClient('pytest', ['--quiet'], { FLORIN_URL: product.baseUrl, FLORIN_API_KEY: apiKey, ...results });
  } finally {
    await product.stop();
  }
}
