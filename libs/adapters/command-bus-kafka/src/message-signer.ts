import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import { LRUCache } from 'lru-cache';
import type { BusTrust } from './bus-trust.port';
import { header, textOf } from './wire-headers';

/** Why a message from the bus is not accepted. */
export type RejectionReason = 'unsigned' | 'unknown_sender' | 'bad_signature' | 'stale' | 'replayed' | 'not_permitted';

/** A command that must not be handled. */
export class RejectedCommand extends Error {
  constructor(
    readonly reason: RejectionReason,
    message: string,
  ) {
    super(`${reason}: ${message}`);
    this.name = 'RejectedCommand';
  }
}

export interface ReceivedMessage {
  readonly context: string;
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
}

/** The age above which a signed command is rejected. Clocks must differ by much less: requests expire after eight seconds. */
const maxAgeMs = 5 * 60_000;
/** Requests expire after eight seconds. At 5,000 commands per second this covers twice that time. */
const rememberedMessages = 100_000;

/**
 * Signs the messages that this service sends, and verifies those that it receives, with HMAC-SHA256. A key belongs to one
 * sending service and one receiving context, so a message for one context is invalid for every other.
 */
export class MessageSigner {
  private readonly instance = randomBytes(9).toString('base64url');
  private readonly received = new LRUCache<string, string>({ max: rememberedMessages });
  private sent = 0;

  constructor(
    private readonly service: string,
    private readonly trust: BusTrust,
    private readonly nowMs: () => number = Date.now,
  ) {}

  canSendTo(context: string): boolean {
    return this.trust.keysOf({ sender: this.service, context }).length > 0;
  }

  /** Requires `canSendTo`. Adds sender, time, a unique id and the signature. A repeated attempt is signed again, so no two messages are equal. */
  signCommand(message: Message, context: string, topic: string): Message {
    const [key] = this.trust.keysOf({ sender: this.service, context });
    const own: IHeaders = {
      [header.sender]: this.service,
      [header.sentAt]: String(this.nowMs()),
      [header.messageId]: `${this.instance}-${(this.sent++).toString(36)}`,
      [header.signature]: '',
    };
    // Much faster than an object with a spread and further properties.
    const headers = Object.assign(own, message.headers);
    const signed = { ...message, headers };
    const routing = textsOf(headers, commandHeaders);
    headers[header.signature] = commandSignature(key!, topic, signed, routing).toString('base64url');
    return signed;
  }

  /** Returns the sender. Throws `RejectedCommand`. */
  verifyCommand(received: ReceivedMessage): string {
    const { context, topic, message } = received;
    const signature = textOf(message.headers, header.signature);
    const routing = textsOf(message.headers, commandHeaders);
    const [sender, sentAt, messageId] = routing;
    if (typeof sender !== 'string' || typeof messageId !== 'string' || signature === undefined) {
      throw new RejectedCommand('unsigned', 'it has no sender, message id or signature');
    }
    const keys = this.trust.keysOf({ sender, context });
    if (keys.length === 0) throw new RejectedCommand('unknown_sender', `there is no key for ${sender}>${context}`);
    if (!keys.some((key) => isEqual(commandSignature(key, topic, message, routing), signature))) {
      throw new RejectedCommand('bad_signature', `it was not signed by ${sender} for ${topic}, or was changed`);
    }
    this.requireFresh(Number(sentAt ?? NaN));
    this.requireFirst(messageId, received);
    return sender;
  }

  requirePermission(sender: string, context: string, command: { readonly type: string; readonly data: unknown }): void {
    if (this.trust.isPermitted({ sender, context, type: command.type, data: command.data })) return;
    throw new RejectedCommand('not_permitted', `${sender} may not send this ${command.type} to ${context}`);
  }

  /** Binds the reply to the request: it is valid for one request id on one reply topic only. */
  signReply(message: Message, replyTopic: string, edge: { sender: string; context: string }): Message {
    const [key] = this.trust.keysOf(edge);
    const signature = replySignature(key!, replyTopic, message).toString('base64url');
    return { ...message, headers: { ...message.headers, [header.signature]: signature } };
  }

  /** Whether the context to which this service sent the request has signed this reply to it. */
  isGenuineReply(message: KafkaMessage, replyTopic: string, context: string): boolean {
    const signature = textOf(message.headers, header.signature);
    if (signature === undefined) return false;
    const keys = this.trust.keysOf({ sender: this.service, context });
    return keys.some((key) => isEqual(replySignature(key, replyTopic, message), signature));
  }

  private requireFresh(sentAtMs: number): void {
    const ageMs = this.nowMs() - sentAtMs;
    if (Math.abs(ageMs) <= maxAgeMs) return;
    throw new RejectedCommand('stale', `it was sent ${Math.round(ageMs / 1_000)} s ago; the limit is 300 s`);
  }

  /** Kafka redelivers a message at its old offset. The same message at another offset was written by another client. */
  private requireFirst(messageId: string, { partition, message }: ReceivedMessage): void {
    // The signature includes the topic, so the message is valid in one topic only.
    const position = `${partition}/${message.offset}`;
    const first = this.received.get(messageId);
    if (first === undefined) this.received.set(messageId, position);
    else if (first !== position)
      throw new RejectedCommand('replayed', `the same message was received at partition/offset ${first}`);
  }
}

/** The headers that change how a message is processed. `verifyCommand` relies on the first three. */
const commandHeaders = [
  header.sender,
  header.sentAt,
  header.messageId,
  header.replyTo,
  header.requestId,
  header.deadline,
  header.traceparent,
];
const replyHeaders = [header.requestId, header.outcome];

type Texts = readonly (string | null)[];
type Signed = Pick<Message | KafkaMessage, 'key' | 'headers' | 'value'>;

function textsOf(headers: IHeaders | undefined, names: readonly string[]): Texts {
  return names.map((name) => textOf(headers, name) ?? null);
}

function commandSignature(key: KeyObject, topic: string, message: Signed, routing: Texts): Buffer {
  return signatureOf(key, ['florin command', topic, message.key?.toString() ?? null, ...routing], message);
}

function replySignature(key: KeyObject, topic: string, message: Signed): Buffer {
  return signatureOf(key, ['florin reply', topic, ...textsOf(message.headers, replyHeaders)], message);
}

/** A JSON array separates the fields unambiguously; the value follows with its exact bytes. */
function signatureOf(key: KeyObject, fields: Texts, { value }: Signed): Buffer {
  return createHmac('sha256', key)
    .update(`${JSON.stringify(fields)}\n`)
    .update(value ?? '')
    .digest();
}

function isEqual(expected: Buffer, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
