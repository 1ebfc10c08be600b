/**
 * Builds what has changed before a program starts. Even a build that finds everything in the cache takes more than a second,
 * so this script first compares the source files with those of the last build.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNx } from './run-nx.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stampFile = join(root, '.nx/built-sources');
const notSources = new Set(['dist', 'generated', 'node_modules']);

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !notSources.has(name));
  return names.flatMap((name) => filesIn(join(path, name)));
}

const files = [
  'apps',
  'clients',
  'libs',
  'tools/nx',
  'tools/generate-prisma.mjs',
  '.swcrc',
  'nx.json',
  'package-lock.json',
].flatMap((path) => filesIn(join(root, path)));
// The change time, unlike the modification time, also changes when an older file replaces a newer one.
const state = files.map((file) => `${file} ${statSync(file).ctimeMs}`).join('\n');
const stamp = createHash('sha256').update(state).digest('hex');

const outputs = files.filter((file) => file.endsWith('package.json')).map((file) => join(dirname(file), 'dist'));
const isBuilt = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && outputs.every(existsSync);

if (!isBuilt) {
  console.error('Building…');
  const { status, stdout, stderr } = runNx(['run-many', '-t', 'build'], { stdio: 'pipe', encoding: 'utf8' });
  if (status === 0) writeFileSync(stampFile, stamp);
  else console.error(`${stdout}${stderr}\nThe build failed.`);
  process.exitCode = status ?? 1;
}
