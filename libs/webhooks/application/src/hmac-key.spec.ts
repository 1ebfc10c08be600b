import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { HmacKey, MessageToSign } from './hmac-key';

const text = fc.string({ unit: 'binary', maxLength: 200 });

describe('HmacKey', () => {
  it('signs like the HMAC of Node, whatever the key and the message', () => {
    fc.assert(
      fc.property(text, text, text, (secret, lead, body) => {
        const expected = createHmac('sha256', Buffer.from(secret)).update(lead).update(body).digest('hex');
        expect(new HmacKey(secret).sign(new MessageToSign(lead, body))).toBe(expected);
      }),
    );
  });

  it('signs one message with several keys, and several messages with one key', () => {
    const [one, other] = [new HmacKey('one'), new HmacKey('other')];
    const message = new MessageToSign('1900000000.', '{"id":"evt_1"}');
    const first = one.sign(message);
    expect(other.sign(message)).not.toBe(first);
    one.sign(new MessageToSign('1900000000.', '{"id":"evt_2"}'));
    expect(one.sign(message)).toBe(first);
    expect(message.body.toString()).toBe('{"id":"evt_1"}');
    expect(message.bytes.subarray(0, 64)).toEqual(Buffer.alloc(64));
  });
});
