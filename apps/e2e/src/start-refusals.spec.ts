import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { EventLog } from './harness/event-log';
import { Florin, runCli, runToEnd } from './harness/florin';
import { newDataDirectory } from './harness/florin-process';
import { composition } from './harness/running-florin';

/** A cluster reports these errors in another way. */
(composition === 'all-in-one' ? describe : describe.skip)('a start is rejected because of', () => {
  let folder: string;
  beforeEach(() => {
    folder = newDataDirectory();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Expects one line at level `fatal`, no other error and no stack trace, and returns its message. */
  async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
    const { code, output } = await runToEnd({ FLORIN_DATA_DIR: folder, PORT: '0', ...env });
    expect(code).toBe(1);
    const lines = output.split('\n').filter((line) => line !== '');
    const errors = lines.filter((line) => /"level":"(error|fatal)"/.test(line) || !line.startsWith('{'));
    expect(errors).toHaveLength(1);
    const entry = JSON.parse(errors[0]!) as { level: string; msg: string };
    expect(entry).toEqual({ level: 'fatal', time: expect.any(String) as string, msg: entry.msg });
    return entry.msg;
  }

  it('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ PORT: String(port) })).toBe(
      `Florin could not start. Port ${port} is already in use on 127.0.0.1. Set PORT to a free one, or end the process that listens there.`,
    );
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
    other.close();
  });

  it('an address of another machine', async () => {
    expect(await refusal({ HOST: '192.0.2.1' })).toContain('192.0.2.1 is not an address of this machine');
  });

  it('an external database without a vault key', async () => {
    expect(await refusal({ DATABASE_URL: 'postgres://127.0.0.1:1/florin' })).toContain(
      'VAULT_KEY or VAULT_KEY_FILE must be set with DATABASE_URL. Generate a key with `openssl rand -base64 32`',
    );
  });

  it('a data folder that cannot be created', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await refusal({ FLORIN_DATA_DIR: join(file, 'data') })).toContain(`The data folder ${file}/data cannot be`);
  });

  it('a data folder with another event store', async () => {
    writeFileSync(join(folder, 'event-store'), 'eventstoredb\n');
    expect(await refusal({})).toContain(`The folder ${folder} stores its events in eventstoredb; set EVENT_STORE=`);
  });

  it.each([
    ['the one that has the events', async () => undefined],
    ['the one that an earlier release has written to', removeStoreIdentity],
  ])('another event store than %s', async (_name, prepare) => {
    const first = await Florin.start({ dataDirectory: folder });
    await prepare(first);
    expect(await first.stop()).toBe(0);
    const other = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
    const reason =
      'The events of this database are stored in postgres, but EVENT_STORE is eventstoredb. ' +
      'Set EVENT_STORE=postgres, or choose another database or data folder.';
    expect(await refusal(other)).toContain(reason);
    for (const verb of ['verify', 'audit', 'replay']) {
      expect(() => runCli([verb], { FLORIN_DATA_DIR: folder, ...other })).toThrow(reason);
    }
  });

  it('a server of EVENTSTORE_URL that is no event store', async () => {
    const other = createHttpServer((_, response) => void response.end('{}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const env = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` };
    expect(await refusal(env)).toContain(`The server 127.0.0.1:${port} of EVENTSTORE_URL is not an EventStoreDB`);
    other.close();
  });

  it('another Florin on the same folder', async () => {
    const first = await Florin.start({ dataDirectory: folder });
    expect(await refusal({})).toMatch(/already running as process \d+ on the folder/);
    expect(await first.stop()).toBe(0);
  });
});

/** The next start migrates the database like that of a release that did not record the event store. */
async function removeStoreIdentity(florin: Florin): Promise<void> {
  const log = new EventLog(florin);
  await log.query('DROP TABLE event_store.store_identity');
  await log.query(`DELETE FROM public._prisma_migrations WHERE migration_name = '20261117000400_store_identity'`);
  await log.close();
}
