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
  it('is the signature that docs/ISSUER.md gives as an example', () => {
    expect(signPayload('secret', now, '{}')).toBe(
      't=1800000000,v1=bb7079132825ac793cea8c013c1dd24d926b9b02132245b10588d9e5c0df70d7',
    );
  });

  it('signs bytes as it signs the text they stand for', () => {
    expect(signPayload('secret', now, Buffer.from(body))).toBe(signPayload('secret', now, body));
  });

  it.each([1.5, -1, Number.NaN])('takes %p for no time', (time) => {
    expect(() => signPayload('secret', time, body)).toThrow('not a time');
  });

  it('refuses to sign without a secret', () => {
    expect(() => signPayload('', now, body)).toThrow('an empty secret');
  });
});

describe('verifySignature', () => {
  it('accepts whatever was signed with the same secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.nat(), (secret, text, time) => {
        expect(verifySignature(signPayload(secret, time, text), text, [secret], time, 0)).toBe(true);
      }),
    );
  });

  it('refuses another body, another secret, another time', () => {
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

  it('needs only one of several signatures and one of several secrets to fit', () => {
    const header = `t=${now},v1=${digest('old', now, body)},v1=${digest('new', now, body)}`;
    expect(verify(header, ['new'])).toBe(true);
    expect(verify(header, ['other', 'old'])).toBe(true);
    expect(verify(header, ['other'])).toBe(false);
  });

  it('overlooks schemes it does not know, and spaces', () => {
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
  ])('takes %s for no signature', (_, header) => {
    expect(verify(header)).toBe(false);
  });

  it('refuses to verify without a secret, since anybody could have signed', () => {
    expect(() => verify(`t=${now},v1=${digest('', now, body)}`, [''])).toThrow('an empty secret');
  });
});
