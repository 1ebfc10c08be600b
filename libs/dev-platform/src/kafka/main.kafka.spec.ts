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
import { findBroker } from './find-broker';
import { BROKER_TIMEOUT_MS } from '../testing';
import { KafkaMain } from '../testing/kafka-main';

jest.setTimeout(BROKER_TIMEOUT_MS);

describe('npm run kafka', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'florin-kafka-main-')));
  const dataDirectory = join(folder, 'data');
  const programs = join(folder, 'programs');
  const cache = join(folder, 'cache');
  /** A machine with only these programs, and without a downloaded Kafka. */
  const bareMachine = { PATH: programs, XDG_CACHE_HOME: cache, HOME: folder };
  const toStart = ['--port', '0', '--data', dataDirectory];

  beforeAll(() => mkdirSync(programs));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function giveProgram(name: string, script: string): void {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }

  it('prints its usage', async () => {
    const { code, output } = await KafkaMain.start(['--help']).exited();
    expect(code).toBe(0);
    expect(output).toMatch('npm run kafka -- [options]');
  });

  it('rejects an invalid option', async () => {
    expect(await KafkaMain.start(['--port', '90921']).exited()).toMatchObject({
      code: 1,
      errors: expect.stringContaining("argument '90921' is invalid. Use a whole number from 0 to 65535."),
    });
  });

  it('reports what to install when Java is missing or too old, or Maven is missing', async () => {
    const errorText = async () => (await KafkaMain.start(toStart, bareMachine).exited()).errors;
    expect(await errorText()).toMatch(/^There is no `java` on the PATH\. Kafka needs Java 17 or newer: install/);

    giveProgram('java', `echo 'openjdk version "11.0.2" 2019-01-15' >&2`);
    expect(await errorText()).toMatch(/^The `java` on the PATH is too old \(openjdk version "11\.0\.2".*install/);

    rmSync(join(programs, 'java'));
    symlinkSync(execFileSync('sh', ['-c', 'command -v java'], { encoding: 'utf8' }).trim(), join(programs, 'java'));
    expect(await errorText()).toMatch(/^There is no `mvn` on the PATH\..*install/);
  });

  it('leaves nothing in the cache when Maven fails, and reports its output', async () => {
    giveProgram('mvn', `[ "$1" = --version ] || { echo '[ERROR] cannot reach the repository'; exit 1; }`);
    const { code, errors } = await KafkaMain.start(toStart, bareMachine).exited();
    expect(code).toBe(1);
    expect(errors).toMatch(/Maven could not download Kafka[^]*\[ERROR\] cannot reach the repository/);
    expect(readdirSync(join(cache, 'florin'))).toEqual([]);
    expect(existsSync(dataDirectory)).toBe(false);
  });

  it('runs a broker until it is interrupted', async () => {
    const main = KafkaMain.start(toStart);
    expect(await main.ready()).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(findBroker(dataDirectory)).toMatchObject({ starter: main.pid });
    main.interrupt();
    expect(await main.exited()).toMatchObject({ code: 0, errors: '' });
    expect(findBroker(dataDirectory)).toBeUndefined();
  });

  it('exits with the broker', async () => {
    const main = KafkaMain.start(toStart);
    await main.ready();
    process.kill(findBroker(dataDirectory)?.pid as number, 'SIGKILL');
    const { code, errors } = await main.exited();
    expect(code).toBe(1);
    expect(errors).toMatch('The Kafka broker exited with SIGKILL.');
  });

  it('stops the broker when it is interrupted while starting', async () => {
    const main = KafkaMain.start(toStart);
    while (!findBroker(dataDirectory)) await new Promise(setImmediate);
    main.interrupt();
    expect((await main.exited()).code).toBe(0);
    expect(findBroker(dataDirectory)).toBeUndefined();
  });
});
