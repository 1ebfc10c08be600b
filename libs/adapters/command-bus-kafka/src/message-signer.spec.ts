import { createSecretKey, type KeyObject } from 'node:crypto';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { BusTrust } from './bus-trust.port';
import { MessageSigner, type RejectionReason } from './message-signer';
import { encodeCommand, encodeReply } from './wire';
import { commandOf } from './testing/replica';

const minuteMs = 60_000;

const newKey = (byte: number): KeyObject => createSecretKey(Buffer.alloc(32, byte));
const [ledgerKey, invoicingKey, oldKey] = [newKey(1), newKey(2), newKey(3)];

/** The keys by `sender>context`. */
function trusting(keys: Readonly<Record<string, readonly KeyObject[]>>): BusTrust {
  return {
    keysOf: ({ sender, context }) => keys[`${sender}>${context}`] ?? [],
    isPermitted: ({ type }) => type === 'Permitted',
  };
}

let nowMs = 0;
let ledger: MessageSigner;
let gateway: MessageSigner;

beforeEach(() => {
  nowMs = Date.parse('2030-01-01T00:00:00Z');
  const clock = () => nowMs;
  gateway = new MessageSigner(
    'gateway',
    trusting({ 'gateway>ledger': [ledgerKey], 'gateway>invoicing': [invoicingKey] }),
    clock,
  );
  ledger = new MessageSigner(
    'ledger',
    trusting({ 'gateway>ledger': [ledgerKey, oldKey], 'operations>ledger': [newKey(9)] }),
    clock,
  );
});

const address = { topic: 'replies.gateway-1', requestId: 'r1', deadlineMs: 12 };

function signed(signer = gateway, context = 'ledger'): Message {
  return signer.signCommand(encodeCommand(commandOf('Deposit', '777777.00'), address), context, `${context}.commands`);
}

/** As Kafka delivers it. */
function receive(message: Message, position: { offset?: string; topic?: string } = {}): string {
  const { offset = '0', topic = 'ledger.commands' } = position;
  return ledger.verifyCommand({ context: 'ledger', topic, partition: 0, message: asDelivered(message, offset) });
}

function asDelivered({ key, value, headers }: Message, offset = '0'): KafkaMessage {
  const bytes = Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]);
  return {
    key: Buffer.from(String(key)),
    value: value as Buffer,
    headers: Object.fromEntries(bytes) as IHeaders,
    offset,
    timestamp: '0',
    attributes: 0,
  };
}

function rejectionOf(message: Message, position?: { offset?: string; topic?: string }): RejectionReason | undefined {
  try {
    receive(message, position);
    return undefined;
  } catch (error) {
    return (error as { reason: RejectionReason }).reason;
  }
}

describe('A signed command', () => {
  it('is accepted with its sender', () => {
    expect(receive(signed())).toBe('gateway');
  });

  it('is accepted with either of two keys, as long as one of them is replaced', () => {
    const clock = () => nowMs;
    const late = new MessageSigner('gateway', trusting({ 'gateway>ledger': [oldKey] }), clock);
    expect(receive(signed(late))).toBe('gateway');
  });

  it.each(['sender', 'sent-at', 'message-id', 'reply-to', 'request-id', 'deadline', 'traceparent'])(
    'is rejected when its header %s was changed',
    (name) => {
      const message = signed();
      const headers = { ...message.headers, [name]: name === 'sender' ? 'operations' : '1' };
      expect(rejectionOf({ ...message, headers })).toBe('bad_signature');
    },
  );

  it('is rejected when its key or its value was changed', () => {
    const message = signed();
    expect(rejectionOf({ ...message, key: 'another account' })).toBe('bad_signature');
    const value = Buffer.from(message.value as Buffer);
    value[value.length - 5]! ^= 1;
    expect(rejectionOf({ ...message, value })).toBe('bad_signature');
  });

  it('is rejected without signature, sender or message id', () => {
    const message = signed();
    for (const name of ['signature', 'sender', 'message-id']) {
      const { [name]: _, ...headers } = message.headers!;
      expect(rejectionOf({ ...message, headers })).toBe('unsigned');
    }
    expect(rejectionOf(encodeCommand(commandOf('Deposit'), address))).toBe('unsigned');
  });

  it('is rejected when a service without a key sends it, or signs with the key of another edge', () => {
    const watcher = new MessageSigner('tron-watcher', trusting({ 'tron-watcher>ledger': [invoicingKey] }), () => nowMs);
    expect(rejectionOf(signed(watcher))).toBe('unknown_sender');
    const thief = new MessageSigner('gateway', trusting({ 'gateway>ledger': [invoicingKey] }), () => nowMs);
    expect(rejectionOf(signed(thief))).toBe('bad_signature');
  });

  it('is rejected in another context and on another topic', () => {
    expect(rejectionOf(signed(gateway, 'invoicing'))).toBe('bad_signature');
    expect(rejectionOf(signed(), { topic: 'sandbox.ledger.commands' })).toBe('bad_signature');
  });

  it('is rejected when it is older than five minutes, or from the future', () => {
    const message = signed();
    nowMs += 5 * minuteMs;
    expect(receive(message)).toBe('gateway');
    nowMs += 1;
    expect(rejectionOf(message)).toBe('stale');
    nowMs -= 10 * minuteMs + 2;
    expect(rejectionOf(message)).toBe('stale');
  });

  it('is rejected at another offset, and accepted when Kafka redelivers it', () => {
    const message = signed();
    receive(message, { offset: '7' });
    expect(receive(message, { offset: '7' })).toBe('gateway');
    expect(rejectionOf(message, { offset: '8' })).toBe('replayed');
  });

  it('is accepted when the sender repeats it, because every attempt is signed again', () => {
    receive(signed(), { offset: '7' });
    expect(receive(signed(), { offset: '8' })).toBe('gateway');
  });

  it('is rejected when the sender may not send it', () => {
    const command = { type: 'Deposit', data: {} };
    expect(() => ledger.requirePermission('gateway', 'ledger', command)).toThrow(
      'not_permitted: gateway may not send this Deposit to ledger',
    );
    ledger.requirePermission('gateway', 'ledger', { ...command, type: 'Permitted' });
  });
});

describe('A signed reply', () => {
  const edge = { sender: 'gateway', context: 'ledger' };
  const reply = (requestId = 'r1'): Message =>
    ledger.signReply(encodeReply(requestId, 'done', { ok: true }), address.topic, edge);
  const isGenuine = (message: Message, topic = address.topic, context = 'ledger'): boolean =>
    gateway.isGenuineReply(asDelivered(message), topic, context);

  it('is genuine for its request only', () => {
    expect(isGenuine(reply())).toBe(true);
    expect(isGenuine(reply(), 'replies.gateway-2')).toBe(false);
    expect(isGenuine(reply(), address.topic, 'invoicing')).toBe(false);
    const moved = reply('r2');
    expect(isGenuine({ ...moved, headers: { ...moved.headers, 'request-id': 'r1' } })).toBe(false);
  });

  it('is not genuine when it was changed, is unsigned, or is a command', () => {
    const message = reply();
    expect(isGenuine({ ...message, headers: { ...message.headers, outcome: 'failed' } })).toBe(false);
    expect(isGenuine({ ...message, value: Buffer.from('{"ok":false}') })).toBe(false);
    expect(isGenuine(encodeReply('r1', 'done', { ok: true }))).toBe(false);
    expect(isGenuine(signed())).toBe(false);
  });
});
