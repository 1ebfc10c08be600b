import { signWebhook, verifyWebhook } from '@florin/webhook-verifier';
import { transformSync } from '@swc/core';
import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const guide = read('docs/WEBHOOKS.md');
const manual = read('clients/webhook-verifier/README.md');

/** The program in the Markdown code block with this info string. */
function example(text: string, fence: string): string {
  const [, program] = text.split(`\`\`\`${fence}\n`);
  if (program === undefined) throw new Error(`No code block has the info string ${fence}`);
  return program.slice(0, program.indexOf('\n```'));
}

/** Runs a program without changes and returns its exports. */
function run<Exports>(program: string): Exports {
  const { code } = transformSync(program, { configFile: join(root, '.swcrc'), filename: 'example.ts' });
  const module = { exports: {} };
  new Function('require', 'module', 'exports', code)(require, module, module.exports);
  return module.exports as Exports;
}

describe('The signature example of the guide', () => {
  const cell = (name: string) => new RegExp(`^\\| ${name} +\\| \`(.*)\` *\\|$`, 'm').exec(guide)![1]!;

  it('verifies', () => {
    const now = new Date(1_800_000_000_000);
    const [body, header, secret] = [cell('Body'), cell('`Service-Signature`'), cell('Secret')];
    expect(verifyWebhook(body, header, secret, { now })).toEqual(JSON.parse(body));
    expect(signWebhook(body, secret, now)).toBe(header);
  });
});

describe('The Fastify receiver', () => {
  const secret = 'whsec_of-this-spec';
  const body = '{"id":"evt_1","type":"card.created", "data":{"object":{}}}';
  let app: FastifyInstance;

  beforeAll(() => {
    process.env['FLORIN_WEBHOOK_SECRET'] = secret;
    app = run<{ app: FastifyInstance }>(example(manual, 'ts fastify')).app;
  });
  afterAll(async () => {
    delete process.env['FLORIN_WEBHOOK_SECRET'];
    await app.close();
  });

  const post = async (payload: string, signature?: string) => {
    const headers = { 'content-type': 'application/json', ...(signature && { 'service-signature': signature }) };
    const { statusCode, body: text } = await app.inject({ method: 'POST', url: '/webhooks', payload, headers });
    return [statusCode, text];
  };

  it('acknowledges every delivery and works on each event once', async () => {
    const log = jest.spyOn(console, 'log').mockReturnValue();
    expect(await post(body, signWebhook(body, secret))).toEqual([204, '']);
    expect(await post(body, signWebhook(body, secret))).toEqual([204, '']);
    expect(log.mock.calls).toEqual([['card.created evt_1']]);
    log.mockRestore();
  });

  it('rejects deliveries without a valid signature', async () => {
    expect(await post(body)).toEqual([400, 'signature_missing']);
    expect(await post(`${body} `, signWebhook(body, secret))).toEqual([400, 'signature_mismatch']);
    const old = signWebhook(body, secret, new Date(Date.now() - 3_600_000));
    expect(await post(body, old)).toEqual([400, 'timestamp_out_of_tolerance']);
  });
});

describe('The receiver without Node', () => {
  const { receive } = run<{ receive(request: Request, secret: string): Promise<Response> }>(example(manual, 'ts web'));
  const body = '{"id":"evt_1","type":"card.created", "data":{"object":{}}}';
  const post = async (payload: string) => {
    const headers = { 'service-signature': signWebhook(body, 'whsec_x') };
    const request = new Request('https://shop.example', { method: 'POST', body: payload, headers });
    const response = await receive(request, 'whsec_x');
    return [response.status, await response.text()];
  };

  it('accepts a delivery with a valid signature only', async () => {
    const log = jest.spyOn(console, 'log').mockReturnValue();
    expect(await post(body)).toEqual([204, '']);
    expect(await post(`${body} `)).toEqual([400, 'signature_mismatch']);
    expect(log.mock.calls).toEqual([['card.created evt_1']]);
    log.mockRestore();
  });
});

describe('The Express receiver', () => {
  it('compiles', () => {
    expect(() =>
      transformSync(example(manual, 'ts express'), { configFile: join(root, '.swcrc'), filename: 'x.ts' }),
    ).not.toThrow();
  });
});
