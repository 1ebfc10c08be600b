import { type CommandMessage, isStoreMismatch, isUnreadable, NoReply } from '@florin/event-sourcing';
import { actorKinds } from '@florin/kernel';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { OutboundMessage } from './outbound-queue';
import { header, textOf } from './wire-headers';

type Message = OutboundMessage['message'];

/** Where the reply goes, which request it belongs to, and until when the requester waits. */
export interface ReplyAddress {
  readonly topic: string;
  readonly requestId: string;
  readonly deadlineMs: number;
}

/** `unavailable` is transient and worth a retry; `failed` would fail again. */
export type Outcome = 'done' | 'failed' | 'unavailable';

/** The JSON contains the whole message. Headers carry what infrastructure reads without parsing it. */
export function encodeCommand(message: CommandMessage, replyTo?: ReplyAddress): Message {
  const headers: IHeaders = {};
  if (message.headers.traceparent !== undefined) headers[header.traceparent] = message.headers.traceparent;
  if (replyTo !== undefined) {
    headers[header.replyTo] = replyTo.topic;
    headers[header.requestId] = replyTo.requestId;
    headers[header.deadline] = String(replyTo.deadlineMs);
  }
  return { key: message.key, value: Buffer.from(JSON.stringify(message)), headers };
}

export function replyAddressOf({ headers }: KafkaMessage): ReplyAddress | undefined {
  const topic = textOf(headers, header.replyTo);
  const requestId = textOf(headers, header.requestId);
  const deadline = textOf(headers, header.deadline);
  if (topic === undefined || requestId === undefined || deadline === undefined) return undefined;
  return { topic, requestId, deadlineMs: Number(deadline) };
}

/** Throws `MalformedCommand` when the message is not a command of this context. */
export function decodeCommand({ value }: KafkaMessage, context: string): CommandMessage {
  if (value === null) throw new MalformedCommand('it has no value');
  const message = parse(value.toString()) as Partial<CommandMessage> | null;
  if (typeof message !== 'object' || message === null) throw new MalformedCommand('its value is not a JSON object');
  const { id, key, command, headers } = message;
  if (typeof id !== 'string' || typeof key !== 'string') throw new MalformedCommand('id and key must be strings');
  if (typeof command?.type !== 'string') throw new MalformedCommand('command.type must be a string');
  if (typeof headers?.correlationId !== 'string') throw new MalformedCommand('headers.correlationId must be a string');
  const { actor } = headers;
  if (!actorKinds.includes(actor?.kind) || typeof actor.id !== 'string') {
    throw new MalformedCommand(`headers.actor must have an id, and one of the kinds ${actorKinds.join(', ')}`);
  }
  if (message.context !== context) throw new MalformedCommand(`it is for the context ${message.context}`);
  return message as CommandMessage;
}

export class MalformedCommand extends Error {
  constructor(why: string) {
    super(`This is not a command: ${why}`);
    this.name = 'MalformedCommand';
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedCommand((error as Error).message);
  }
}

export function encodeReply(requestId: string, outcome: Outcome, reply: unknown): Message {
  const headers = { [header.requestId]: requestId, [header.outcome]: outcome };
  return { partition: 0, value: Buffer.from(JSON.stringify(reply ?? null)), headers };
}

export interface Reply {
  readonly requestId: string;
  readonly outcome: Outcome;
  readonly body: unknown;
}

/** Undefined when the message is not a reply: other clients may write to the topic as well. */
export function decodeReply({ headers, value }: KafkaMessage): Reply | undefined {
  const requestId = textOf(headers, header.requestId);
  const outcome = textOf(headers, header.outcome);
  if (requestId === undefined || value === null) return undefined;
  if (outcome !== 'done' && outcome !== 'failed' && outcome !== 'unavailable') return undefined;
  try {
    return { requestId, outcome, body: JSON.parse(value.toString()) };
  } catch {
    return undefined;
  }
}

/** The requester recognizes these errors by their names. */
const recognized: readonly string[] = ['UnreadableEvent', 'EventStoreMismatch'];

/** The part of an error that is sent to the requester. */
export function describeFailure(error: unknown): { name: string; message: string } {
  // The requester has to recognize it, also if a command of the handler failed because of it.
  if (error instanceof Error && !recognized.includes(error.name) && (isUnreadable(error) || isStoreMismatch(error)))
    return describeFailure(error.cause);
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: 'Error', message: typeof error === 'string' ? error : JSON.stringify(error) };
}

/** A permanent failure and another event store have a cause. The requester decides by it whether to retry. */
export function failureOf({ outcome, body }: Reply, label: string): NoReply {
  const { name, message } = body as ReturnType<typeof describeFailure>;
  const cause = new Error(message);
  cause.name = name;
  if (outcome === 'unavailable') {
    const reason = `${label} failed for a transient reason, repeat it: ${name}: ${message}`;
    return isStoreMismatch(cause) ? new NoReply(reason, { cause }) : new NoReply(reason);
  }
  return new NoReply(`${label} failed; its outcome is unknown`, { cause });
}

export interface Origin {
  readonly topic: string;
  readonly partition: number;
}

/** The original message with the reason in its headers. */
export function encodeDeadLetter(message: KafkaMessage, { topic, partition }: Origin, error: unknown): Message {
  const failure = describeFailure(error);
  const headers: IHeaders = {
    ...message.headers,
    'dead-letter-reason': failure.message,
    'dead-letter-error': failure.name,
    'dead-letter-topic': topic,
    'dead-letter-partition': String(partition),
    'dead-letter-offset': message.offset,
    'dead-letter-timestamp': message.timestamp,
  };
  return { partition: 0, key: message.key, value: message.value, headers };
}
