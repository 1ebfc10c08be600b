/** The `generate` target of libs/database: writes the typed Prisma client. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const schema = join(root, 'libs/database/prisma/schema.prisma');
const prismaPackage = createRequire(import.meta.url).resolve('prisma/package.json');

const command = join(prismaPackage, '..', 'build', 'index.js');
const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'generate', '--schema', schema], {
  cwd: root,
  encoding: 'utf8',
  env: {
    ...process.env,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    // `generate` does not run the schema engine but would download it. Any existing file prevents the download.
    PRISMA_SCHEMA_ENGINE_BINARY: prismaPackage,
  },
});
if (status !== 0) console.error(`Generating the Prisma client from ${schema} failed:\n${stdout}${stderr}`);
process.exitCode = status ?? 1;
