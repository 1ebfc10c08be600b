import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries';
import { SERVER_ENVIRONMENT } from './server-process';
import { syncDirectory, type ServerFolder } from './server-folder';

export const SERVER_USER = 'florin';

/** Only for the first start of the server, which then uses the file of client-authentication.ts. */
const INITDB_ARGUMENTS = [
  `--username=${SERVER_USER}`,
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
];

/** Creates the database files on the first start. One rename publishes them, so a kill leaves no partial database. */
export function ensureCluster(folder: ServerFolder, { initdb }: PostgresBinaries): string {
  const cluster = join(folder.path, 'data');
  if (existsSync(join(cluster, 'PG_VERSION'))) return cluster;
  const draft = join(folder.path, 'data.new');
  rmSync(draft, { recursive: true, force: true });
  const { status, error, stdout, stderr } = spawnSync(initdb, [...INITDB_ARGUMENTS, `--pgdata=${draft}`], {
    ...folder.account,
    cwd: folder.path,
    env: SERVER_ENVIRONMENT,
    encoding: 'utf8',
  });
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(
      `The database in ${folder.path} could not be created: ${error?.message ?? `${stdout}${stderr}`.trim()}. ` +
        'It needs free disk space and a system user with a name.',
    );
  }
  renameSync(draft, cluster);
  syncDirectory(folder.path);
  return cluster;
}
