import { verifyWebhook, WebhookVerificationError } from '@florin/webhook-verifier';
import type { WebhookEvent } from '@florin/webhooks-domain';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventsServer } from './testing/events-server';
import { Receiver } from './testing/receiver';
import { runCommand } from './testing/run-command';
import { RunningCommand } from './testing/start-command';

let server: EventsServer;
let receiver: Receiver;
let running: RunningCommand | undefined;

beforeEach(async () => {
  [server, receiver] = await Promise.all([new EventsServer().start(), new Receiver().start()]);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await Promise.all([server.close(), receiver.close()]);
});

const event = (id: string, second: number, change: Partial<WebhookEvent> = {}): WebhookEvent => ({
  id: `evt_${id}`,
  type: 'operation.completed',
  createdAt: new Date(Date.UTC(2030, 0, 31, 12, 0, second)).toISOString(),
  environment: 'sandbox',
  companyId: 'c1',
  objectVersion: 1,
  data: { object: { id: `object-${id}` } },
  ...change,
});

/** Resolves once the existing events are skipped. */
async function listening(...args: readonly string[]): Promise<RunningCommand> {
  running = new RunningCommand(['listen', '--key', 'fl_test_1', '--url', server.url, '--every', '10', ...args]);
  await running.until(({ err }) => err.includes('Listening'));
  return running;
}

const ids = (line: RunningCommand): readonly string[] => line.out.match(/evt_\w+/g) ?? [];
const countOf = (count: number) => (line: RunningCommand) => ids(line).length >= count;

/** Waits for two more polls, each of up to three requests. */
async function twoMorePolls(): Promise<void> {
  const target = server.requestCount + 6;
  while (server.requestCount < target) await new Promise((resolve) => setImmediate(resolve));
}

describe('listen', () => {
  it('prints new events, each once and in order', async () => {
    server.events.push(event('old', 1), event('older', 0));
    const line = await listening();
    server.events.push(event('a', 2), event('b', 3), event('c', 4), event('d', 5), event('e', 6));
    await line.until(countOf(5));
    server.events.push(event('f', 7));
    await line.until(countOf(6));
    await twoMorePolls();
    expect(ids(line)).toEqual(['evt_a', 'evt_b', 'evt_c', 'evt_d', 'evt_e', 'evt_f']);
    expect(line.out).toMatch(/^2030-01-31T12:00:02\.000Z {2}operation\.completed {2}evt_a {2}object-a\n/);
    expect(await line.stop()).toBe(0);
    expect(new Set(server.keys)).toEqual(new Set(['Bearer fl_test_1']));
  });

  it('prints the first event of a company', async () => {
    const line = await listening();
    server.events.push(event('first', 0));
    await line.until(countOf(1));
    expect(ids(line)).toEqual(['evt_first']);
  });

  it('prints an event that appears late, and repeats none', async () => {
    server.events.push(event('old', 100));
    const line = await listening();
    server.events.splice(0, 0, event('late', 90));
    await line.until(countOf(1));
    server.events.push(event('much-later', 10_000));
    await line.until(({ out }) => out.includes('evt_much'));
    await twoMorePolls();
    expect(ids(line)).toEqual(['evt_late', 'evt_much']);
  });

  it('prints events of one object in the order of its versions', async () => {
    const line = await listening();
    server.events.push(event('second', 1, { objectVersion: 2 }), event('first', 1));
    await line.until(countOf(2));
    expect(ids(line)).toEqual(['evt_first', 'evt_second']);
  });

  it('prints only the selected types, as JSON', async () => {
    const line = await listening('--events', 'card.created,webhook_endpoint.test', '--json');
    const wanted = event('b', 2, { type: 'card.created' });
    server.events.push(event('a', 1), wanted, event('c', 3, { type: 'webhook_endpoint.test' }));
    await line.until(countOf(2));
    const lines = line.out.trim().split('\n');
    expect(lines.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { event: wanted },
      { event: { id: 'evt_c' } },
    ]);
  });

  it('forwards events signed as Florin signs them', async () => {
    const line = await listening('--forward-to', receiver.url);
    const secret = /signed with (whsec_[\w-]{43})\n/.exec(line.err)![1]!;
    server.events.push(event('a', 1));
    await line.until(countOf(1));
    const [{ method, headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(method).toBe('POST');
    expect(verifyWebhook(body, headers['service-signature'], secret)).toEqual(event('a', 1));
    expect(() => verifyWebhook(`${body} `, headers['service-signature'], secret)).toThrow(WebhookVerificationError);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Florin-Webhooks/1',
      'webhook-id': 'evt_a',
    });
    expect(line.out).toMatch(/ {2}-> 204 in \d+ ms\n$/);
  });

  it('signs with the given secret', async () => {
    const line = await listening('--forward-to', receiver.url, '--secret', 'whsec_mine');
    server.events.push(event('a', 1));
    await line.until(countOf(1));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(verifyWebhook(body, headers['service-signature'], 'whsec_mine').id).toBe('evt_a');
  });

  it('continues when the receiver fails, follows no redirect and prints the outcome', async () => {
    const line = await listening('--forward-to', receiver.url, '--json');
    receiver.statusCode = 307;
    server.events.push(event('a', 1));
    await line.until(countOf(1));
    await receiver.close();
    server.events.push(event('b', 2));
    await line.until(countOf(2));
    const handovers = line.out
      .trim()
      .split('\n')
      .map((text) => (JSON.parse(text) as { handover: object }).handover);
    expect(handovers).toMatchObject([{ statusCode: 307 }, { error: 'ECONNREFUSED' }]);
    expect(receiver.received).toHaveLength(1);
    receiver = await new Receiver().start();
  });

  it('retries while Florin is unavailable', async () => {
    const line = await listening();
    server.failure = { statusCode: 503, code: 'unavailable' };
    await line.until(({ err }) => err.includes('That is unavailable. Retrying.'));
    server.failure = { statusCode: 429, code: 'rate_limited' };
    await line.until(({ err }) => err.includes('That is rate_limited. Retrying.'));
    server.failure = undefined;
    server.events.push(event('a', 1));
    await line.until(countOf(1));
    expect(await line.stop()).toBe(0);
  });

  it('fails when the key is rejected', async () => {
    const line = await listening();
    server.failure = { statusCode: 401, code: 'invalid_key' };
    expect(await line.ended).toBe(1);
    expect(line.err).toContain('That is invalid_key. Set the correct key with --key or FLORIN_KEY.');
  });

  it.each<[readonly string[], RegExp]>([
    [['--events', 'card.created,card.lost'], /Unknown event type card\.lost\. Choose from operation\.queued, /],
    [['--forward-to', '127.0.0.1:4000'], /'127\.0\.0\.1:4000' is invalid\. Use an address such as/],
    [['--forward-to', 'file:///etc/passwd'], /is invalid\. Use an address such as/],
    [['--every', '5'], /'5' is invalid\. Use a number of milliseconds from 10 to 999999/],
  ])('rejects %j without sending a request', async (args, message) => {
    const { exitCode, err } = await runCommand(['listen', '--key', 'k', '--url', server.url, ...args]);
    expect(exitCode).toBe(2);
    expect(err).toMatch(message);
    expect(server.requestCount).toBe(0);
  });
});

describe('trigger', () => {
  it('creates a sample event of the type', async () => {
    const line = ['trigger', 'card.created', '--key', 'fl_test_1', '--url', server.url];
    expect(await runCommand(line)).toEqual({ exitCode: 0, out: 'Created card.created as evt_1.\n', err: '' });
    expect(JSON.parse((await runCommand([...line, '--json'])).out)).toEqual({ id: 'evt_1', type: 'card.created' });
    expect(server.triggered).toEqual([{ type: 'card.created' }, { type: 'card.created' }]);
  });

  it('rejects an unknown type', async () => {
    const { exitCode, err } = await runCommand(['trigger', 'card.lost', '--key', 'k', '--url', server.url]);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/'card\.lost' is invalid.*Allowed choices are operation\.queued, /);
  });
});

describe('The selected company', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'florin-cli-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const trigger = (args: readonly string[], environment: Record<string, string> = {}) => {
    const companies = [
      { name: 'Acme Corporation', keys: { sandbox: 'fl_test_acme', live: 'fl_live_acme' } },
      { name: 'Ida Individual', keys: { sandbox: 'fl_test_ida' } },
    ];
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify({ baseUrl: server.url, companies }));
    return runCommand(['trigger', 'card.created', ...args], { FLORIN_DATA_DIR: folder, ...environment });
  };

  it.each<[string, readonly string[], Record<string, string>]>([
    ['typed', ['--key', 'typed'], { FLORIN_KEY: 'set' }],
    ['set', [], { FLORIN_KEY: 'set' }],
    ['fl_test_ida', ['--company', 'Ida Individual'], { FLORIN_KEY: 'set' }],
  ])('uses the key %s with %j and %j', async (key, args, environment) => {
    expect(await trigger(args, environment)).toMatchObject({ exitCode: 0 });
    expect(server.keys).toEqual([`Bearer ${key}`]);
  });

  it('can be selected for live', async () => {
    await trigger(['--company', 'Ida Individual']);
    const acme = ['--company', 'Acme Corporation', '--environment', 'live', '--every', '10'];
    running = new RunningCommand(['listen', ...acme], { FLORIN_DATA_DIR: folder });
    await running.until(({ err }) => err.includes('Listening'));
    expect(server.keys.at(-1)).toBe('Bearer fl_live_acme');
  });

  it.each<[readonly string[], RegExp]>([
    [[], /No API key\. Set --key or FLORIN_KEY, or choose from \S+: --company "Acme Corporation" or "Ida/],
    [['--company', 'Unknown'], /has no company Unknown\. Set --key or FLORIN_KEY, or choose from/],
    [['--key', ' '], /option '--key <key>' needs a value/],
  ])('is required: %j', async (args, message) => {
    const { exitCode, err } = await trigger(args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(message);
    expect(server.requestCount).toBe(0);
  });

  it('must have a key for the environment', async () => {
    const line = ['listen', '--company', 'Ida Individual', '--environment', 'live'];
    await trigger(['--company', 'Ida Individual']);
    const { exitCode, err } = await runCommand(line, { FLORIN_DATA_DIR: folder });
    expect(exitCode).toBe(2);
    expect(err).toContain('has no live key for Ida Individual. Set one with --key.');
  });
});
