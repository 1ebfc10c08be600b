import { execFileSync, spawnSync } from 'node:child_process';

/** The system user the server runs as; empty: the user of this process. */
export interface ServerAccount {
  readonly uid?: number;
  readonly gid?: number;
}

const USER_NAME = 'postgres';

const WAYS_TO_CREATE_A_USER: ReadonlyArray<readonly [command: string, ...args: string[]]> = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', USER_NAME],
  ['adduser', '-S', '-D', '-H', USER_NAME],
];

export const runningAsRoot = (): boolean => process.getuid?.() === 0;

/** Postgres refuses to run as root, so a start by root needs another user, which is created when it is missing. */
export function unprivilegedAccount(): ServerAccount {
  const known = lookUp();
  if (known) return known;
  for (const [command, ...args] of WAYS_TO_CREATE_A_USER) {
    spawnSync(command, args, { stdio: 'ignore' });
    const created = lookUp();
    if (created) return created;
  }
  throw new Error(
    `Postgres cannot run as root, and the system user "${USER_NAME}" neither exists nor could be created; ` +
      'create it, start Florin as an ordinary user, or set DATABASE_URL to an existing server.',
  );
}

/** Lets the system decide whether the account can use a path: permissions of all parents, ACLs and mounts count. */
export function canReach(account: ServerAccount, path: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...account, cwd: '/', stdio: 'ignore' }).status === 0
  );
}

function lookUp(): ServerAccount | undefined {
  try {
    const idOf = (flag: string) =>
      Number(execFileSync('id', [flag, USER_NAME], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}
