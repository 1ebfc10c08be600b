import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const schema = join(root, 'libs/database/prisma/schema.prisma');
const stampFile = join(root, 'libs/database/src/generated/.schema-hash');
const require = createRequire(import.meta.url);

/** Writes the typed Prisma client, unless the one that is there was made from the very same schema. */
export function generatePrismaClient() {
  const prismaPackage = require.resolve('prisma/package.json');
  const { version } = JSON.parse(readFileSync(prismaPackage, 'utf8'));
  const stamp = createHash('sha256').update(version).update(readFileSync(schema)).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;

  const command = join(prismaPackage, '..', 'build', 'index.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'generate', '--schema', schema], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      // `generate` never runs the schema engine, yet would download it; any file that exists keeps it from trying.
      PRISMA_SCHEMA_ENGINE_BINARY: prismaPackage,
    },
  });
  if (status !== 0) throw new Error(`The Prisma client could not be generated from ${schema}:\n${stdout}${stderr}`);
  writeFileSync(stampFile, stamp);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generatePrismaClient();
