/**
 * Compiles the sources of every workspace into its `dist`, file by file and only what has changed. Types are checked by
 * `tsc` and not here, so that starting the product takes no longer than it must.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatePrismaClient } from './generate-prisma.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const compilerOptions = join(root, '.swcrc');

const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.endsWith('.d.ts');

/** The workspaces as npm sees them; its patterns are used with a single `*` per folder only. */
function findWorkspaces() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const expand = (folders, part) =>
    part === '*' ? folders.flatMap(subfolders) : folders.map((folder) => join(folder, part));
  return workspaces
    .flatMap((pattern) => pattern.split('/').reduce(expand, [root]))
    .filter((folder) => existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'src')));
}

function subfolders(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Output of another compiler or other options is of no use, however fresh its files look. */
function discardForeignOutput(dist) {
  const stampFile = join(dist, '.compiler');
  const { version } = require('@swc/core/package.json');
  const stamp = createHash('sha256').update(version).update(readFileSync(compilerOptions)).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  writeFileSync(stampFile, stamp);
}

function removeOrphans(dist, outputs) {
  const expected = new Set(outputs.flatMap((output) => [output, `${output}.map`]));
  for (const file of filesUnder(dist)) {
    if (!expected.has(file) && basename(file) !== '.compiler') rmSync(file);
  }
}

/** An output bears the time of its source: whatever touched the source, even an older file put back, shows. */
function isFresh({ source, output }) {
  const made = statSync(output, { throwIfNoEntry: false });
  return made !== undefined && Math.abs(made.mtimeMs - statSync(source).mtimeMs) < 1;
}

async function compile({ source, output }) {
  const { transformFile } = require('@swc/core');
  const { atime, mtime } = await stat(source);
  const { code, map } = await transformFile(source, {
    configFile: compilerOptions,
    sourceFileName: relative(dirname(output), source),
  });
  await mkdir(dirname(output), { recursive: true });
  await writeFile(`${output}.map`, map);
  await writeFile(output, `${code}\n//# sourceMappingURL=${basename(output)}.map\n`);
  await utimes(output, atime, mtime);
}

function planWorkspace(workspace) {
  const [src, dist] = [join(workspace, 'src'), join(workspace, 'dist')];
  discardForeignOutput(dist);
  const files = filesUnder(src)
    .filter(isSource)
    .map((source) => ({ source, output: join(dist, relative(src, source)).replace(/\.ts$/, '.js') }));
  removeOrphans(
    dist,
    files.map(({ output }) => output),
  );
  return files.filter((file) => !isFresh(file));
}

try {
  generatePrismaClient();
  await Promise.all(findWorkspaces().flatMap(planWorkspace).map(compile));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
