import type { IHeaders } from 'kafkajs';

/** The headers of messages on the bus. */
export const header = {
  replyTo: 'reply-to',
  requestId: 'request-id',
  deadline: 'deadline',
  traceparent: 'traceparent',
  outcome: 'outcome',
  sender: 'sender',
  sentAt: 'sent-at',
  messageId: 'message-id',
  signature: 'signature',
};

export function textOf(headers: IHeaders | undefined, name: string): string | undefined {
  const value = headers?.[name];
  return value === undefined || Array.isArray(value) ? undefined : value.toString();
}
