/** The `build` target of a project: `node tools/nx/compile.mjs <folder>`. swc compiles; `tsc` checks the types separately. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';

const [project] = process.argv.slice(2);
const [src, dist] = [join(project, 'src'), join(project, 'dist')];

async function compile(source) {
  const output = join(dist, relative(src, source)).replace(/\.ts$/, '.js');
  const sourceFileName = relative(dirname(output), source);
  const { code, map } = await transformFile(source, { configFile: '.swcrc', sourceFileName });
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(`${output}.map`, map);
  writeFileSync(output, `${code}\n//# sourceMappingURL=${basename(output)}.map\n`);
}

rmSync(dist, { recursive: true, force: true });
const sources = readdirSync(src, { recursive: true }).filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file));
await Promise.all(sources.map((file) => compile(join(src, file))));
