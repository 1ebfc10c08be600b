import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../node_modules/.cache/python', import.meta.url));

/**
 * Installs the packages of a requirements file into a virtual environment, unless they are there, and returns the folder of its
 * programs. Without Python it returns undefined, and fails in CI.
 */
export function provideEnvironment(name, requirements) {
  const folder = join(cache, name);
  const stamp = join(folder, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    if (!hasPython()) return reportMissingPython(name);
    rmSync(folder, { recursive: true, force: true });
    run('python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--requirement', requirements]);
    writeFileSync(stamp, wanted);
  }
  return join(folder, 'bin');
}

/** Runs a program to its end. It writes no compiled files, and sends requests to this machine without a proxy. */
export function run(command, args, { cwd, env } = {}) {
  const python = { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1' };
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    cwd,
    env: { ...process.env, ...python, ...env },
  });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} failed`);
}

function hasPython() {
  const supported = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
  return spawnSync('python3', ['-c', supported]).status === 0;
}

function reportMissingPython(name) {
  console.error(`The tests with Python are skipped (${name}): install Python 3.10 or newer, with venv.`);
  process.exitCode = process.env['CI'] === undefined ? 0 : 1;
  return undefined;
}
