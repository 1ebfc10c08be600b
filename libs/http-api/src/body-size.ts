import type { IncomingHttpHeaders } from 'node:http';

export const bodyLimitBytes = 64 * 1024;

/** For 500 operations of half a KiB. The commands that carry them over the bus must stay below its limit of 900 KB. */
export const bulkBodyLimitBytes = 256 * 1024;

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Whether the body is announced as too long, or without a length. Node reads an unused body to its end otherwise. */
export function mayExceedLimit(headers: IncomingHttpHeaders, limitBytes = bodyLimitBytes): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > limitBytes;
}
