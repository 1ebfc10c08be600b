import { randomId } from '@florin/kernel';
import type { IncomingMessage } from 'node:http';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** The client's `X-Request-Id` if it is valid for a log line and a header, else a new id. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && visibleAscii.test(given) ? given : randomId();
}
