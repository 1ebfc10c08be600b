import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries';
import { SERVER_ENVIRONMENT } from './server-process';
import { syncDirectory, type ServerFolder } from './server-folder';

export const SERVER_USER = 'florin';

/** Whoever can open the socket is trusted: its folder lets in the owner alone, so a password would guard nothing more. */
const INITDB_ARGUMENTS = [
  `--username=${SERVER_USER}`,
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
];

/** Makes the database files on the first start. They appear by one rename, so a kill midway leaves nothing half-made. */
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
        'It needs free space on the disk, and a user whom the system knows by name.',
    );
  }
  renameSync(draft, cluster);
  syncDirectory(folder.path);
  return cluster;
}
