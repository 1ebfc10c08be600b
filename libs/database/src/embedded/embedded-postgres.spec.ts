import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';
import { makeDataDirectory } from '../testing/data-directory';
import { startEmbeddedPostgres } from './embedded-postgres';
import { startInChildProcess } from '../testing/start-in-child-process';
import { processStart } from '../processes/process-identity';
import { runningAsRoot } from './server-account';

jest.setTimeout(30_000);

async function query(connection: DatabaseConnection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...connection });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const clusterIn = (dataDirectory: string) => join(realpathSync(join(dataDirectory, 'postgres')), 'data');

/** An unrelated process with the server's user. */
function spawnBystander(dataDirectory: string): ChildProcess {
  const { uid, gid } = statSync(clusterIn(dataDirectory));
  return spawn('sleep', ['60'], { cwd: '/', stdio: 'ignore', ...(runningAsRoot() ? { uid, gid } : {}) });
}

describe('the embedded Postgres', () => {
  // The tests share the folder as consecutive runs would; each test stops its server.
  const folder = makeDataDirectory();
  const dataDirectory = folder.path;
  const start = () => startEmbeddedPostgres({ dataDirectory });

  afterAll(() => folder.remove());

  it('creates its database on the first start, even after an interrupted attempt', async () => {
    mkdirSync(join(dataDirectory, 'postgres', 'data.new', 'base'), { recursive: true });
    folder.giveToServer('postgres');

    const server = await start();
    await query(server.connection, 'CREATE TABLE note (text TEXT)');
    await query(server.connection, `INSERT INTO note VALUES ('kept')`);
    await server.stop();
    expect(processStart(server.pid)).toBeUndefined();
  });

  it('continues with its data after a stop', async () => {
    const server = await start();
    expect(await query(server.connection, 'SELECT text FROM note')).toEqual([{ text: 'kept' }]);
    await server.stop();
  });

  it('uses fsync, sorts by code point, and is accessible to its owner only', async () => {
    const server = await start();
    const [settings] = await query(
      server.connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('data_checksums') AS checksums, current_setting('listen_addresses') AS addresses,
              current_setting('server_encoding') AS encoding, 'a' < 'B' AS folds, upper('ä') AS upper`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      commit: 'on',
      checksums: 'on',
      addresses: '',
      encoding: 'UTF8',
      folds: false,
      upper: 'Ä',
    });
    expect(statSync(server.connection.host as string).mode & 0o777).toBe(0o700);
    await server.stop();
  });

  it('replaces the server that a killed run left running', async () => {
    const killed = await startInChildProcess(dataDirectory);
    await query(killed.connection, `INSERT INTO note VALUES ('written before the kill')`);
    killed.launcher.kill('SIGKILL');
    await once(killed.launcher, 'exit');
    expect(processStart(killed.serverPid)).toBeDefined();

    const server = await start();
    expect(processStart(killed.serverPid)).toBeUndefined();
    expect(await query(server.connection, 'SELECT text FROM note ORDER BY text')).toEqual([
      { text: 'kept' },
      { text: 'written before the kill' },
    ]);
    await server.stop();
  });

  it('recovers when the server was killed together with its launcher', async () => {
    const killed = await startInChildProcess(dataDirectory);
    await query(killed.connection, `INSERT INTO note VALUES ('written before the crash')`);
    killed.launcher.kill('SIGKILL');
    process.kill(killed.serverPid, 'SIGKILL');
    await once(killed.launcher, 'exit');

    const server = await start();
    const rows = await query(server.connection, `SELECT FROM note WHERE text = 'written before the crash'`);
    expect(rows).toHaveLength(1);
    await server.stop();
  });

  it('rejects a second instance on the folder, and names the first one', async () => {
    const first = await startInChildProcess(dataDirectory);
    await expect(start()).rejects.toThrow(
      `already running as process ${first.launcher.pid} on the folder ${realpathSync(dataDirectory)}; stop it, or set`,
    );
    expect(await query(first.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.stop();
  });

  it('rejects a copied folder that links to the same server', async () => {
    const copy = makeDataDirectory('copy');
    symlinkSync(join(dataDirectory, 'postgres'), join(copy.path, 'postgres'));
    const first = await startInChildProcess(dataDirectory);
    await expect(startEmbeddedPostgres({ dataDirectory: copy.path })).rejects.toThrow(
      `already running as process ${first.launcher.pid} on the folder ${realpathSync(join(dataDirectory, 'postgres'))}, ` +
        `to which ${join(realpathSync(copy.path), 'postgres')} is only a link (cp -aL copies what is behind it); stop it`,
    );
    expect(await query(first.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.stop();
    const server = await startEmbeddedPostgres({ dataDirectory: copy.path });
    await expect(start()).rejects.toThrow(`already running as process ${process.pid} on the folder`);
    await server.stop();
    copy.remove();
  });

  it('ignores Ctrl-C in the terminal until its launcher stops it', async () => {
    const running = await startInChildProcess(dataDirectory);
    process.kill(-(running.launcher.pid as number), 'SIGINT');
    await running.interrupted;
    expect(await query(running.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await running.stop();
    expect(processStart(running.serverPid)).toBeUndefined();
  });

  it('handles process ids that other processes have reused', async () => {
    const bystander = spawnBystander(dataDirectory);
    const { pid } = bystander;
    writeFileSync(join(dataDirectory, 'florin.pid'), `${pid} 1\n`);
    const cluster = clusterIn(dataDirectory);
    writeFileSync(join(cluster, 'postmaster.pid'), `${pid}\n${cluster}\n1\n5432\n${cluster}\n\n\nready\n`);
    folder.giveToServer('postgres', 'data', 'postmaster.pid');

    const server = await start();
    expect(readFileSync(join(dataDirectory, 'florin.pid'), 'utf8')).toMatch(`${process.pid} `);
    await server.stop();
    expect(bystander.signalCode).toBeNull();
    expect(processStart(pid as number)).toBeDefined();
    bystander.kill();
  });

  it('starts with pid files that are empty after a power failure', async () => {
    writeFileSync(join(dataDirectory, 'florin.pid'), '');
    writeFileSync(join(clusterIn(dataDirectory), 'postmaster.pid'), '');
    const server = await start();
    await server.stop();
  });

  it('rejects a folder that a server in another container uses', async () => {
    const cluster = clusterIn(dataDirectory);
    const socket = join(dataDirectory, '.s.PGSQL.5432');
    const outOfSight = createServer().listen(socket);
    await once(outOfSight, 'listening');
    const idOfNobody = 2 ** 22 + 1;
    writeFileSync(join(cluster, 'postmaster.pid'), `${idOfNobody}\n${cluster}\n1\n5432\n${dataDirectory}\n\n\nready\n`);
    folder.giveToServer('postgres', 'data', 'postmaster.pid');

    await expect(start()).rejects.toThrow(`is not visible from here, serves ${realpathSync(cluster)}`);
    outOfSight.close();
    await once(outOfSight, 'close');
    const server = await start();
    await server.stop();
  });

  it('reports an unexpected exit with the last lines of the log', async () => {
    const ended = new Promise<Error>((resolve) => {
      void startEmbeddedPostgres({ dataDirectory, onExit: resolve }).then(async (server) => {
        process.kill(server.pid, 'SIGKILL');
        await ended;
        await server.stop();
      });
    });
    expect((await ended).message).toMatch(/exited unexpectedly with SIGKILL\. Its log:/);
  });

  it('reports why it cannot start, and releases the folder', async () => {
    const broken = startEmbeddedPostgres({ dataDirectory, settings: { shared_buffers: 'plenty' } });
    await expect(broken).rejects.toThrow(/did not start: it exited with code 1.*invalid value.*"shared_buffers"/s);
    const server = await start();
    await server.stop();
  });

  it('resolves a relative path against the working directory of this process', async () => {
    const near = makeDataDirectory('near');
    const messages: string[] = [];
    const log = (line: string) => messages.push(line);
    const server = await startEmbeddedPostgres({ dataDirectory: relative(process.cwd(), near.path), log });
    await server.stop();
    expect(messages).toEqual([]);
    expect(realpathSync(join(near.path, 'postgres'))).toBe(join(realpathSync(near.path), 'postgres'));
    near.remove();
  });

  it('uses another folder for its socket when the path is too long', async () => {
    const deep = makeDataDirectory('a-folder-with-quite-a-long-name/'.repeat(4));
    const server = await startEmbeddedPostgres({ dataDirectory: deep.path });
    expect(await query(server.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(statSync(server.connection.host as string).mode & 0o777).toBe(0o700);
    await server.stop();
    rmSync(server.connection.host as string, { recursive: true });
    deep.remove();
  });

  // Only a server started by root runs as a user other than the one who owns the folder.
  (runningAsRoot() ? it : it.skip)('stores its data where the server user has access, and finds it again', async () => {
    const closed = makeDataDirectory('closed');
    chmodSync(closed.path, 0o700);
    const messages: string[] = [];
    const startClosed = () => startEmbeddedPostgres({ dataDirectory: closed.path, log: (line) => messages.push(line) });

    const first = await startClosed();
    const place = realpathSync(join(closed.path, 'postgres'));
    expect(messages).toEqual([expect.stringContaining(place)]);
    await query(first.connection, 'CREATE TABLE note (text TEXT)');
    await first.stop();

    const second = await startClosed();
    expect(await query(second.connection, 'SELECT text FROM note')).toEqual([]);
    await second.stop();
    rmSync(place, { recursive: true });
    closed.remove();
  });
});
