import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { signPayload, verifySignature } from './signature';

const now = 1_800_000_000;
const body = '{"amount":"12.50","merchant":"Café"}';
const digest = (secret: string, time: number | string, of: string) =>
  createHmac('sha256', secret).update(`${time}.${of}`, 'utf8').digest('hex');
const verify = (header: string | undefined, secrets = ['secret'], at = now, of: string | Uint8Array = body) =>
  verifySignature(header, of, secrets, at, 300);

describe('signPayload', () => {
  it('is the example signature in docs/ISSUER.md', () => {
    expect(signPayload('secret', now, '{}')).toBe(
      't=1800000000,v1=bb7079132825ac793cea8c013c1dd24d926b9b02132245b10588d9e5c0df70d7',
    );
  });

  it('signs bytes like their text', () => {
    expect(signPayload('secret', now, Buffer.from(body))).toBe(signPayload('secret', now, body));
  });

  it.each([1.5, -1, Number.NaN])('rejects %p as a time', (time) => {
    expect(() => signPayload('secret', time, body)).toThrow('not a time');
  });

  it('rejects an empty secret when signing', () => {
    expect(() => signPayload('', now, body)).toThrow('an empty secret');
  });
});

describe('verifySignature', () => {
  it('accepts everything that was signed with the same secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.nat(), (secret, text, time) => {
        expect(verifySignature(signPayload(secret, time, text), text, [secret], time, 0)).toBe(true);
      }),
    );
  });

  it('rejects another body, another secret, another time', () => {
    const header = signPayload('secret', now, body);
    expect(verify(header)).toBe(true);
    expect(verify(header, ['secret'], now, Buffer.from(body))).toBe(true);
    expect(verify(header, ['secret'], now, `${body} `)).toBe(false);
    expect(verify(header, ['Secret'])).toBe(false);
    expect(verify(header.replace(`t=${now}`, `t=${now + 1}`))).toBe(false);
    expect(verify(header, [])).toBe(false);
  });

  it.each([
    [-301, false],
    [-300, true],
    [300, true],
    [301, false],
    [Number.NaN, false],
  ])('a receiver whose clock is %p seconds ahead accepts: %p', (ahead, accepted) => {
    expect(verify(signPayload('secret', now, body), ['secret'], now + ahead)).toBe(accepted);
  });

  it('needs only one matching pair of several signatures and several secrets', () => {
    const header = `t=${now},v1=${digest('old', now, body)},v1=${digest('new', now, body)}`;
    expect(verify(header, ['new'])).toBe(true);
    expect(verify(header, ['other', 'old'])).toBe(true);
    expect(verify(header, ['other'])).toBe(false);
  });

  it('ignores unknown schemes and spaces', () => {
    expect(verify(`v0=1, t=${now}, v1=${digest('secret', now, body)}, v2=zz`)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['no time', `v1=${digest('secret', '', body)}`],
    ['two times', `t=${now},t=${now},v1=${digest('secret', now, body)}`],
    ['a time with a sign', `t=+${now},v1=${digest('secret', `+${now}`, body)}`],
    ['a time with a fraction', `t=${now}.0,v1=${digest('secret', `${now}.0`, body)}`],
    ['no signature', `t=${now}`],
    ['a signature of another scheme', `t=${now},v0=${digest('secret', now, body)}`],
    ['a cut signature', `t=${now},v1=${digest('secret', now, body).slice(0, -2)}`],
    ['a lengthened signature', `t=${now},v1=${digest('secret', now, body)}00`],
    ['capital letters', `t=${now},v1=${digest('secret', now, body).toUpperCase()}`],
  ])('rejects %s as a signature', (_, header) => {
    expect(verify(header)).toBe(false);
  });

  it('rejects an empty secret when verifying', () => {
    expect(() => verify(`t=${now},v1=${digest('', now, body)}`, [''])).toThrow('an empty secret');
  });
});
