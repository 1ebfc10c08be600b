import type { SendResult } from '@florin/webhooks-application';
import { ForbiddenAddress } from './guarded-connector';

/** The error as shown to the owner of the endpoint. It never contains the resolved address, which may be internal. */
export function failureOf(error: unknown): Pick<SendResult, 'outcome' | 'error'> {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  if (errors.some((one) => one instanceof ForbiddenAddress)) {
    return { outcome: 'forbidden', error: 'the host does not lead to a public address' };
  }
  return { outcome: 'unreachable', error: reasonOf(codeOf(errors[0]) ?? codeOf(error)) };
}

/** Returns only codes such as ECONNREFUSED, because messages of lower layers may contain anything. */
function reasonOf(code: string | undefined): string {
  if (code === undefined) return 'the request failed';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return `the host has no address (${code})`;
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `the connection could not be secured (${code})`;
  return `the connection failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  // Undici has one code for all socket errors; the cause has the details.
  if (code === 'UND_ERR_SOCKET' && cause) return codeOf(cause) ?? code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined;
}
