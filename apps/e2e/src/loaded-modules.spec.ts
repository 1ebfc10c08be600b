import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const cli = join(__dirname, '../../cli/dist/main.js');
const listAtExit = `
  process.on('exit', () => { process.exitCode = 0; console.log('\\n' + JSON.stringify(Object.keys(require.cache))); });
  process.argv.splice(1, 0, 'florin');
  require(${JSON.stringify(cli)});`;

/** The files that a command loads. A command of the log fails without one, after it has loaded its modules. */
function filesLoadedFor(...command: readonly string[]): readonly string[] {
  const env = { PATH: process.env['PATH'], FLORIN_DATA_DIR: join(__dirname, 'no-such-folder') };
  const args = ['-e', listAtExit, '--', ...command];
  const output = execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const files = JSON.parse(output.trimEnd().split('\n').at(-1)!) as string[];
  expect(files).toContain(cli);
  return files;
}

function packagesIn(files: readonly string[]): ReadonlySet<string> {
  const names = files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

const isHeavy = (name: string): boolean =>
  /^(@nestjs\/|@opentelemetry\/|rxjs$|fastify$|undici$|kafkajs$|tronweb$)/.test(name);

describe('A command of the command line', () => {
  it.each([['audit'], ['replay'], ['explain', 'balance', 'acme-live']])(
    '%s loads neither NestJS nor what only services need',
    (...command) => {
      const loaded = packagesIn(filesLoadedFor(...command));
      expect(loaded).toContain('pg');
      expect([...loaded].filter(isHeavy)).toEqual([]);
    },
  );

  it('loads few files for --help, which takes most of its time', () => {
    expect(filesLoadedFor('--help').length).toBeLessThan(220);
  });

  it('loads no database driver for --help', () => {
    const loaded = packagesIn(filesLoadedFor('--help'));
    expect(loaded).toContain('commander');
    expect([...loaded].filter((name) => isHeavy(name) || /^(pg|zod|@prisma\/)/.test(name))).toEqual([]);
  });
});
