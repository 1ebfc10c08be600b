import { PostgresCheckpointStore, PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { temporaryDataDirectory } from '@florin/database';
import {
  type LogCheckpoint,
  LogPublicKeys,
  LogSigningKey,
  metadataOf,
  Progress,
  runCheckpointSink,
  runLogSigner,
  sealEvent,
} from '@florin/event-sourcing';
import { silentLog } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { openCheckpointSink, sinkName } from '@florin/runtime/tools';
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runCommand } from './testing/run-command';
import { type StoredLedger, storedLedger } from './testing/stored-ledger';

jest.setTimeout(60_000);

const folder = temporaryDataDirectory('florin-evidence-');
afterAll(() => rmSync(folder, { recursive: true }));

const key = LogSigningKey.generate();
let ledger: StoredLedger;
let sink: string;
let number = 0;

beforeEach(async () => {
  ledger = await storedLedger();
  number += 1;
  sink = join(folder, `sink-${number}.jsonl`);
});

afterEach(() => ledger.close());

/** Appends other events, so that the log has this many. */
async function fillLog(count: number, recordedAt = '2030-01-01T00:00:00.000Z'): Promise<void> {
  const metadata = { schemaVersion: 1, recordedAt, correlationId: 'c', causationId: 'c' };
  const head = Number(await ledger.store.head());
  const events = [];
  let previous = '';
  for (let revision = 0; revision < count - head; revision++) {
    const id = `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`;
    const event = { stream: 'note-1', revision, id, type: 'Noted', data: '{"text":"…"}', metadata };
    const { sealed, hash } = sealEvent(event, previous);
    events.push(sealed);
    previous = hash;
  }
  await ledger.store.append('note-1', -1, events);
}

/** Runs the production signer and sink until they have reached the end of the log. */
async function signLog(signingKey = key, earlierKeys = new LogPublicKeys([]), to = sink): Promise<void> {
  const checkpoints = new PostgresCheckpointStore(ledger.connection);
  const checkpointLog = new PostgresLogCheckpoints(ledger.pool);
  const { store } = ledger;
  const shared = { checkpoints, checkpointLog, log: silentLog };
  const signer = runLogSigner({
    ...{ ...shared, store, key: signingKey, earlierKeys, storeName: 'postgres', clock: systemClock },
    ...{ progress: new Progress(), isTransient: () => false, maxAgeMs: 50 },
  });
  const publicKeys = earlierKeys.with([signingKey.publicKey]);
  const name = sinkName(to);
  const writer = runCheckpointSink({ ...shared, name, sink: openCheckpointSink(to), publicKeys, pollMs: 10 });
  const head = await store.head();
  await until(async () => (await checkpointLog.newest())?.position === head);
  const last = (await checkpointLog.newest())!.number;
  await until(async () => (await checkpoints.position(name)) === BigInt(last));
  await Promise.all([signer.stop(), writer.stop()]);
  await checkpoints.close();
}

/** Changes the database as its administrator could. */
async function tamper(sql: string, ...values: readonly unknown[]): Promise<void> {
  await ledger.pool.query('ALTER TABLE event_store.events DISABLE TRIGGER ALL');
  await ledger.pool.query('ALTER TABLE event_store.log_checkpoints DISABLE TRIGGER ALL');
  const { rowCount } = await ledger.pool.query(sql, [...values]);
  expect(rowCount).toBeGreaterThan(0);
}

/** Raises the first deposit and all balances that follow from it, and computes all hashes again. */
async function raiseDeposit(): Promise<void> {
  const page = await ledger.store.readAll({ after: 0n, pageSize: 10_000 });
  const hashes = new Map<string, string>();
  for (const event of page.events) {
    const data = event.data
      .replace('"amount":"1000.00"', '"amount":"778777.00"')
      .replace(/"available":"(\d+)\.00"/, (_, dollars) => `"available":"${Number(dollars) + 777_777}.00"`);
    const { hash: _, ...metadata } = metadataOf(event);
    const { sealed, hash } = sealEvent({ ...event, data, metadata }, hashes.get(event.stream) ?? '');
    hashes.set(event.stream, hash);
    if (sealed.metadata === event.metadata) continue;
    const change = 'UPDATE event_store.events SET data = $2, metadata = $3, packed = NULL WHERE position = $1';
    await tamper(change, event.position, sealed.data, sealed.metadata);
  }
}

const keyFile = (): string => {
  const file = join(folder, 'public.pem');
  writeFileSync(file, key.publicKey.pem);
  return file;
};

const run = (command: string, ...args: readonly string[]) => runCommand([command, ...args], ledger.environment);
const withSink = () => ['--checkpoints', sink, '--public-key', keyFile()];
const withStored = () => ['--checkpoints', 'stored', '--public-key', keyFile()];

describe('florin verify --checkpoints', () => {
  it('confirms a log that matches its sink', async () => {
    await signLog();
    const { exitCode, out } = await run('verify', ...withSink());
    expect(exitCode).toBe(0);
    expect(out).toBe(
      'Verified 15 events in 4 streams. No tampering found.\nIt matches 1 signed checkpoint, up to position 15.\n',
    );
    expect((await run('audit', ...withSink())).exitCode).toBe(0);
  });

  it('names a changed deposit after which all 1,180 events were chained again', async () => {
    await fillLog(1_180);
    await signLog();
    await raiseDeposit();
    const blind = await run('verify');
    expect(blind.exitCode).toBe(0);
    expect(blind.out).toContain('Not proven:\n  - Hash chains have no key: without --checkpoints, a log that was');
    for (const evidence of [withSink(), withStored()]) {
      const { exitCode, err } = await run('verify', ...evidence);
      expect(exitCode).toBe(1);
      expect(err).toMatch(/positions 1 to 1000: re-chained: events were changed after they were signed/);
    }
    const { exitCode, out } = await run('audit', ...withSink());
    expect(exitCode).toBe(1);
    expect(out).toContain('positions 1 to 1000: re-chained');
    const json = await run(
      'audit',
      '--json',
      '--account',
      'c0ffee00-0000-4000-8000-000000000001-sandbox',
      ...withSink(),
    );
    expect(JSON.parse(json.out)).toMatchObject({ evidence: { findings: [{ kind: 're-chained' }] } });
  });

  it('names a log that was truncated together with its checkpoints, with a sink only', async () => {
    await signLog();
    await fillLog(40);
    await signLog();
    await tamper('DELETE FROM event_store.events WHERE position > 15');
    await tamper('DELETE FROM event_store.log_checkpoints WHERE position > 15');
    const blind = await run('verify', ...withStored());
    expect(blind.exitCode).toBe(0);
    expect(blind.out).toContain(
      'Without a sink outside the database: an administrator of the database can remove the newest events',
    );
    const { exitCode, err } = await run('verify', ...withSink());
    expect(exitCode).toBe(1);
    expect(err).toContain(
      'position 15: the log ends here, but checkpoint 2 was signed for 40 events up to position 40',
    );
    expect(err).toContain('checkpoint 2 in the database: was removed or changed; the sink has it');
  });

  it('names an emptied log', async () => {
    await signLog();
    await tamper('DELETE FROM event_store.events');
    const { exitCode, err } = await run('verify', ...withStored());
    expect(exitCode).toBe(1);
    expect(err).toContain('position 0: the log ends here, but checkpoint 1 was signed for 15 events');
  });

  it('names a changed checkpoint', async () => {
    await signLog();
    await tamper('UPDATE event_store.log_checkpoints SET count = 14');
    const { exitCode, err } = await run('verify', ...withStored());
    expect(exitCode).toBe(1);
    expect(err).toContain('checkpoint 1 in the database: has a wrong signature');
  });

  it('reports events that are not signed yet', async () => {
    await signLog();
    await fillLog(20);
    const { exitCode, out } = await run('verify', ...withSink());
    expect(exitCode).toBe(0);
    expect(out).toContain('The last 5 events are not signed yet.');
  });

  it('names unsigned events that the signer should have signed', async () => {
    await signLog();
    await fillLog(20, '2026-01-01T00:00:00.000Z');
    const { exitCode, out } = await run('verify', ...withSink());
    expect(exitCode).toBe(0);
    expect(out).toContain(
      'The last 5 events, from position 16 on, are not signed, although the first is from 2026-01-01T00:00:00.000Z: the signer does not run',
    );
  });

  it('trusts the first key of the sink if none is given, and reports it', async () => {
    await signLog();
    const { exitCode, out } = await run('verify', '--checkpoints', `file:${sink}`);
    expect(exitCode).toBe(0);
    expect(out).toContain('The key is the one in the sink. Pass --public-key');
  });

  it('accepts both keys after a rotation, and names one that was not given', async () => {
    await signLog();
    await fillLog(20);
    const next = LogSigningKey.generate();
    await signLog(next, new LogPublicKeys([key.publicKey]));
    const both = `${key.publicKey.text},${next.publicKey.text}`;
    expect((await run('verify', '--checkpoints', sink, '--public-key', both)).exitCode).toBe(0);
    for (const keys of [[], ['--public-key', key.publicKey.text]]) {
      const { exitCode, err } = await run('verify', '--checkpoints', sink, ...keys);
      expect(exitCode).toBe(1);
      expect(err).toContain(`checkpoint 2 in the sink: is signed with the unknown key ${next.publicKey.id}`);
    }
  });

  it('ignores a line that a crash cut off, and names any other damage', async () => {
    await signLog();
    appendFileSync(sink, '{"number":2,"posi');
    expect((await run('verify', ...withSink())).exitCode).toBe(0);
    await fillLog(20);
    await signLog();
    expect(readFileSync(sink, 'utf8').split('\n')).toHaveLength(4);
    expect((await run('verify', ...withSink())).exitCode).toBe(0);
    writeFileSync(sink, readFileSync(sink, 'utf8').replace('{"number":2,"posi\n', '{"number":7,"posi\n'));
    const { exitCode, err } = await run('verify', ...withSink());
    expect(exitCode).toBe(1);
    expect(err).toContain('line 2 in the sink: is not a log checkpoint');
  });

  it('fails without a key, without a sink, and with a wrong key', async () => {
    await signLog();
    const noKey = await run('verify', '--checkpoints', 'stored');
    expect(noKey).toMatchObject({ exitCode: 3, out: '' });
    expect(noKey.err).toContain('No public key is known, so no checkpoint can be verified. Pass --public-key');
    const noSink = await run('verify', '--checkpoints', join(folder, 'nowhere'), '--public-key', keyFile());
    expect(noSink.exitCode).toBe(3);
    expect(noSink.err).toContain('cannot be read: ENOENT');
    const noKeyText = await run('verify', '--checkpoints', 'stored', '--public-key', 'hunter2');
    expect(noKeyText.err).toContain('--public-key must be Ed25519 public keys');
  });
});

describe('an HTTP sink', () => {
  let server: Server;
  let received: string[];
  let failures: number;
  /** What the sink requires. */
  let authorization: string | undefined;

  beforeEach(async () => {
    received = [];
    failures = 2;
    authorization = undefined;
    server = createServer((request, response) => {
      if (request.headers.authorization !== authorization) return response.writeHead(401).end();
      if (request.method === 'GET') return response.end(received.join('\n'));
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        failures -= 1;
        if (failures < 0) received.push(Buffer.concat(parts).toString());
        response.writeHead(failures < 0 ? 204 : 503).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('gets every checkpoint after an outage, and verifies the log', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/checkpoints`;
    await signLog(key, undefined, url);
    expect(received.map((text) => (JSON.parse(text) as LogCheckpoint).number)).toEqual([1]);
    expect((await run('verify', '--checkpoints', url, '--public-key', keyFile())).exitCode).toBe(0);
    await raiseDeposit();
    expect((await run('verify', '--checkpoints', url, '--public-key', keyFile())).exitCode).toBe(1);
  });

  it('is written and read with the user and password of its address, and never shown with them', async () => {
    authorization = `Basic ${Buffer.from('auditor:hunter2!').toString('base64')}`;
    const { port } = server.address() as AddressInfo;
    const url = `http://auditor:hunter2%21@127.0.0.1:${port}/checkpoints`;
    await signLog(key, undefined, url);
    expect((await run('verify', '--checkpoints', url, '--public-key', keyFile())).exitCode).toBe(0);
    authorization = 'Basic other';
    const { exitCode, err } = await run('verify', '--checkpoints', url, '--public-key', keyFile());
    expect(exitCode).toBe(3);
    expect(err).toContain(
      `The checkpoints at http://127.0.0.1:${port}/checkpoints cannot be read: the response has status 401`,
    );
    const invalid = await run('verify', '--checkpoints', 'http://auditor:hunter2@', '--public-key', keyFile());
    expect(invalid.err).toContain('--checkpoints is not a valid HTTP address');
    expect(err + invalid.err).not.toContain('hunter2');
  });
});

describe('florin log-key create', () => {
  it('creates both keys, readable only as they should be, and replaces none', async () => {
    const file = join(folder, 'key.pem');
    const { exitCode, out } = await runCommand(['log-key', 'create', file, '--json']);
    expect(exitCode).toBe(0);
    const created = LogSigningKey.parse(readFileSync(file, 'utf8'));
    expect(JSON.parse(out)).toMatchObject({ keyId: created.publicKey.id, publicKey: created.publicKey.text });
    expect(LogPublicKeys.parse(readFileSync(`${file}.pub`, 'utf8')).all[0]?.id).toBe(created.publicKey.id);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await runCommand(['log-key', 'create', file]);
    expect(again.exitCode).toBe(1);
    expect(again.err).toContain('The key was not created: EEXIST');
  });
});
