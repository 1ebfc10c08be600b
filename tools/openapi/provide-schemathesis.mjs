/** Installs schemathesis into a virtual environment for Python, unless it is there. Outside CI, Python may be missing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
const folder = fileURLToPath(new URL('../../node_modules/.cache/schemathesis', import.meta.url));
const stamp = join(folder, 'installed.txt');
const wanted = readFileSync(requirements, 'utf8');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) install();

function install() {
  const found = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']);
  if (found.status !== 0) return reportMissingPython();
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--requirement', requirements]);
  writeFileSync(stamp, wanted);
}

function reportMissingPython() {
  console.error('The API description is not tested: install Python 3.10 or newer, with venv.');
  process.exitCode = process.env['CI'] === undefined ? 0 : 1;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} failed`);
}
