import * as fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { type VerifyOptions, type WebhookEvent, WebhookVerificationError } from './index';
import * as node from './index';
import * as web from './web/index';

const secret = 'whsec_of-this-spec';
const now = new Date('2030-01-31T12:00:00.000Z');
const seconds = now.getTime() / 1000;
const event = {
  id: 'evt_0123456789abcdef0123456789abcdef',
  type: 'operation.completed',
  createdAt: '2030-01-31T11:59:59.000Z',
  environment: 'sandbox',
  companyId: 'c0ffee00-0000-4000-8000-000000000001',
  objectVersion: 2,
  data: { object: { id: 'o1', merchant: 'Café ☕' } },
};
const body = JSON.stringify(event);
const digest = (time: number | string, of = body, key = secret) =>
  createHmac('sha256', key).update(`${time}.${of}`).digest('hex');

type Header = string | readonly string[] | null | undefined;
type Secrets = string | readonly string[];

/** Independent of both implementations. */
const signed = (secrets: Secrets = secret, at = now, of: string | Uint8Array = body) => {
  const time = Math.floor(at.getTime() / 1000);
  const digestWith = (key: string) => createHmac('sha256', key).update(`${time}.`).update(of).digest('hex');
  return [`t=${time}`, ...[secrets].flat().map((key) => `v1=${digestWith(key)}`)].join(',');
};

interface Implementation {
  verifyWebhook(
    rawBody: string | Uint8Array,
    header: Header,
    secrets: Secrets,
    options?: VerifyOptions,
  ): WebhookEvent | Promise<WebhookEvent>;
  signWebhook(rawBody: string | Uint8Array, secrets: Secrets, at?: Date): string | Promise<string>;
}

const implementations: readonly (readonly [string, Implementation])[] = [
  ['Node', node],
  ['Web Crypto', web],
];

describe.each(implementations)('With %s', (_runtime, { verifyWebhook, signWebhook }) => {
  /** Rejects where one implementation throws. */
  const verify = async (of: unknown, header: Header, secrets: Secrets, options?: VerifyOptions) =>
    verifyWebhook(of as string, header, secrets, options);

  /** The id of the event, or the code of the error. */
  async function outcome(
    header: Header,
    of: unknown = body,
    secrets: Secrets = secret,
    options: VerifyOptions = {},
  ): Promise<string> {
    try {
      return (await verify(of, header, secrets, { now, ...options })).id;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return error.code;
    }
  }

  describe('a request of Florin', () => {
    it('is signed as documented', async () => {
      expect(await signWebhook(body, secret, now)).toBe(`t=${seconds},v1=${digest(seconds)}`);
      expect(await signWebhook(Buffer.from(body), ['old', 'new'], now)).toBe(signed(['old', 'new']));
    });

    it.each([
      ['text', body],
      ['bytes', Buffer.from(body)],
      ['an array of bytes', new TextEncoder().encode(body)],
    ])('is verified from %s', async (_, raw) => {
      expect(await verify(raw, signed(), secret, { now })).toEqual(event);
    });

    it('verifies with any content and any secret', async () => {
      const secrets = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(fc.jsonValue(), secrets, fc.integer({ min: -300, max: 300 }), async (object, keys, apart) => {
          const text = JSON.stringify({ ...event, data: { object } });
          const header = signed(keys, new Date(now.getTime() + apart * 1000), text);
          for (const key of keys) expect(await outcome(header, text, key)).toBe(event.id);
        }),
      );
    });

    it('verifies with either secret during a rotation', async () => {
      expect(await outcome(signed(['old', 'new']), body, 'new')).toBe(event.id);
      expect(await outcome(signed(['old', 'new']), body, 'old')).toBe(event.id);
      expect(await outcome(signed('old'), body, ['new', 'old'])).toBe(event.id);
      expect(await outcome(signed('older'), body, ['new', 'old'])).toBe('signature_mismatch');
    });

    it('verifies with signatures of unknown schemes', async () => {
      expect(await outcome(`v0=1, t=${seconds}, v1=${digest(seconds)}, v2=zz`)).toBe(event.id);
    });
  });

  describe('the signing time', () => {
    it.each([
      [-301, 'timestamp_out_of_tolerance'],
      [-300, event.id],
      [300, event.id],
      [301, 'timestamp_out_of_tolerance'],
    ])('%i seconds from now results in %s', async (apart, expected) => {
      expect(await outcome(signed(secret, new Date(now.getTime() + apart * 1000)))).toBe(expected);
    });

    it('is checked with the given tolerance', async () => {
      const late = signed(secret, new Date(now.getTime() - 20_000));
      expect(await outcome(late, body, secret, { toleranceSeconds: 10 })).toBe('timestamp_out_of_tolerance');
      expect(await outcome(late, body, secret, { toleranceSeconds: 20 })).toBe(event.id);
      expect(await outcome(late, body, secret, { toleranceSeconds: Number.NaN })).toBe('timestamp_out_of_tolerance');
      expect(await outcome(late, body, secret, { now: new Date('no time') })).toBe('timestamp_out_of_tolerance');
    });

    it('is compared with the system clock by default', async () => {
      expect(await verify(body, await signWebhook(body, secret), secret)).toEqual(event);
      await expect(verify(body, signed(), secret)).rejects.toThrow('signed within 300 s');
    });
  });

  describe('a forged request', () => {
    it.each([
      ['no header', 'signature_missing', undefined],
      ['none in `Headers`', 'signature_missing', null],
      ['an empty one', 'signature_missing', ''],
      ['two of them', 'signature_missing', [signed(), signed()]],
      ['none in a list', 'signature_missing', []],
      ['no time', 'signature_malformed', `v1=${digest('')}`],
      ['two times', 'signature_malformed', `t=${seconds},t=${seconds},v1=${digest(seconds)}`],
      ['a time with a sign', 'signature_malformed', `t=+${seconds},v1=${digest(`+${seconds}`)}`],
      ['a time with a fraction', 'signature_malformed', `t=${seconds}.0,v1=${digest(`${seconds}.0`)}`],
      ['a time in hex', 'signature_malformed', `t=0x10,v1=${digest('0x10')}`],
      ['no signature', 'signature_malformed', `t=${seconds}`],
      ['an old scheme', 'signature_malformed', `t=${seconds},v0=${digest(seconds)}`],
      ['half a signature', 'signature_malformed', `t=${seconds},v1=${digest(seconds).slice(32)}`],
      ['capital letters', 'signature_malformed', `t=${seconds},v1=${digest(seconds).toUpperCase()}`],
      ['a flood', 'signature_malformed', `t=${seconds},v1=${digest(seconds)}${',v1=0'.repeat(1_000)}`],
      ['another secret', 'signature_mismatch', signed('whsec_other')],
      ['the secret without its prefix', 'signature_mismatch', signed(secret.replace('whsec_', ''))],
    ])('with %s results in %s', async (_, expected, header) => {
      expect(await outcome(header)).toBe(expected);
    });

    it('is rejected in 1,000 tampered, replayed and skewed variants', async () => {
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(forgeries, async ({ header, of }) => {
          expect(await outcome(header, of)).not.toBe(event.id);
          refused += 1;
        }),
        { seed: 20300131, numRuns: 1_000 },
      );
      expect(refused).toBe(1_000);
    });
  });

  describe('a valid signature', () => {
    it.each(['', 'null', '[]', '"evt_1"', '{"id":"evt_1"}', '{"id":1,"type":"x"}', '{'])(
      'does not make an event of %s',
      async (text) => {
        expect(await outcome(signed(secret, now, text), text)).toBe('body_malformed');
      },
    );
  });

  describe('a mistake in the calling code', () => {
    it.each([[''], [[]], [['']], [null], [[null]]])('throws for a missing secret: %j', async (none) => {
      const forged = `t=${seconds},v1=${digest(seconds, body, '')}`;
      expect(await outcome(forged, body, none as never)).toBe('secret_missing');
    });

    it('ignores a second secret that is not set', async () => {
      const forged = `t=${seconds},v1=${digest(seconds, body, '')}`;
      expect(await outcome(signed(), body, [secret, ''])).toBe(event.id);
      expect(await outcome(forged, body, [secret, ''])).toBe('signature_mismatch');
    });

    it.each([event, undefined, null, 7])('throws for a body that was parsed already: %j', async (parsed) => {
      const error = await verify(parsed, signed(), secret, { now }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WebhookVerificationError);
      expect(error).toMatchObject({
        code: 'body_not_raw',
        message: expect.stringContaining('before anything parses it'),
      });
    });
  });
});

const bytes = Buffer.from(body);
const place = fc.nat({ max: bytes.length - 1 });
const bit = fc.integer({ min: 0, max: 7 });
const skew = fc.integer({ min: 301, max: 10_000_000 }).chain((by) => fc.constantFrom(by, -by));
const forgeries: fc.Arbitrary<{ readonly header: string; readonly of: Uint8Array }> = fc.oneof(
  // One bit of the body is flipped.
  fc.tuple(place, bit).map(([at, which]) => {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 << which;
    return { header: signed(), of: changed };
  }),
  // Bytes are removed or added.
  place.map((at) => ({ header: signed(), of: bytes.subarray(0, at) })),
  fc.string({ minLength: 1 }).map((more) => ({ header: signed(), of: Buffer.from(body + more) })),
  // A digit of the signature is changed.
  fc.tuple(fc.nat({ max: 63 }), fc.integer({ min: 1, max: 15 })).map(([at, by]) => {
    const digits = [...digest(seconds)];
    digits[at] = (parseInt(digits[at]!, 16) ^ by).toString(16);
    return { header: `t=${seconds},v1=${digits.join('')}`, of: bytes };
  }),
  // A replay with the signature of another time.
  skew.map((by) => ({ header: `t=${seconds},v1=${digest(seconds + by)}`, of: bytes })),
  // A delayed request, or a skewed clock.
  skew.map((by) => ({ header: `t=${seconds + by},v1=${digest(seconds + by)}`, of: bytes })),
  // The border between time and body is moved.
  fc.integer({ min: 1, max: 9 }).map((length) => {
    const [time, rest] = [`${seconds}`.slice(0, length), `${seconds}`.slice(length)];
    return { header: `t=${time},v1=${digest(seconds)}`, of: Buffer.from(`${rest}.${body}`) };
  }),
  // Another secret, or none.
  fc.string().map((key) => ({ header: `t=${seconds},v1=${digest(seconds, body, `x${key}`)}`, of: bytes })),
  // Any other header.
  fc.string().map((header) => ({ header, of: bytes })),
);
