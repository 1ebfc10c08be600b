import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokerOnFolder } from './broker-on-folder';
import { BROKER_PATIENCE_MS } from './testing';
import { MainProcess } from './testing/run-main';

jest.setTimeout(BROKER_PATIENCE_MS);

describe('npm run kafka', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'florin-kafka-main-')));
  const dataDirectory = join(folder, 'data');
  const programs = join(folder, 'programs');
  const cache = join(folder, 'cache');
  /** A machine that has only these programs, and has never fetched Kafka. */
  const bareMachine = { PATH: programs, XDG_CACHE_HOME: cache, HOME: folder };
  const toStart = ['--port', '0', '--data', dataDirectory];

  beforeAll(() => mkdirSync(programs));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function giveProgram(name: string, script: string): void {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }

  it('explains itself', async () => {
    const { code, printed } = await MainProcess.start(['--help']).ended();
    expect(code).toBe(0);
    expect(printed).toMatch('npm run kafka -- [options]');
  });

  it('refuses what it does not understand', async () => {
    expect(await MainProcess.start(['--port', '90921']).ended()).toMatchObject({
      code: 1,
      complaints: '--port must be a whole number from 0 to 65535, not "90921".\n',
    });
  });

  it('says what to install where there is no Java, one too old, or no Maven', async () => {
    const complaint = async () => (await MainProcess.start(toStart, bareMachine).ended()).complaints;
    expect(await complaint()).toMatch(/^There is no `java` on the PATH\. Kafka needs Java 17 or newer: install/);

    giveProgram('java', `echo 'openjdk version "11.0.2" 2019-01-15' >&2`);
    expect(await complaint()).toMatch(/^The `java` on the PATH is too old \(openjdk version "11\.0\.2".*install/);

    rmSync(join(programs, 'java'));
    symlinkSync(execFileSync('sh', ['-c', 'command -v java'], { encoding: 'utf8' }).trim(), join(programs, 'java'));
    expect(await complaint()).toMatch(/^There is no `mvn` on the PATH\..*install/);
  });

  it('leaves nothing in the cache when Maven fails, and passes its reason on', async () => {
    giveProgram('mvn', `[ "$1" = --version ] || { echo '[ERROR] no way to the repository'; exit 1; }`);
    const { code, complaints } = await MainProcess.start(toStart, bareMachine).ended();
    expect(code).toBe(1);
    expect(complaints).toMatch(/Maven could not fetch Kafka[^]*\[ERROR\] no way to the repository/);
    expect(readdirSync(join(cache, 'florin'))).toEqual([]);
    expect(existsSync(dataDirectory)).toBe(false);
  });

  it('runs a broker until it is interrupted', async () => {
    const main = MainProcess.start(toStart);
    expect(await main.ready()).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(brokerOnFolder(dataDirectory)).toMatchObject({ starter: main.child.pid });
    main.interrupt();
    expect(await main.ended()).toMatchObject({ code: 0, complaints: '' });
    expect(brokerOnFolder(dataDirectory)).toBeUndefined();
  });

  it('ends with the broker', async () => {
    const main = MainProcess.start(toStart);
    await main.ready();
    process.kill(brokerOnFolder(dataDirectory)?.pid as number, 'SIGKILL');
    const { code, complaints } = await main.ended();
    expect(code).toBe(1);
    expect(complaints).toMatch('The Kafka broker ended with SIGKILL.');
  });

  it('leaves no broker behind when it is interrupted while starting', async () => {
    const main = MainProcess.start(toStart);
    while (!brokerOnFolder(dataDirectory)) await new Promise(setImmediate);
    main.interrupt();
    expect((await main.ended()).code).toBe(0);
    expect(brokerOnFolder(dataDirectory)).toBeUndefined();
  });
});
