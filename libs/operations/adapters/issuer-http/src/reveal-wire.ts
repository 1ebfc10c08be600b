import type { RevealRequest, RevealResponse } from '@florin/operations-application';
import { z } from 'zod';
import { parseJson } from './parse-json';
import type { HttpResponse } from './post-once';

/** How long a page may be valid. */
const maxSeconds = 60;
/** The issuer's clock may differ from ours by this much. */
const toleranceSeconds = 5;

/** The type makes it different from every other message that Florin signs. */
export function revealBody({ companyId, cardId, cardReference }: RevealRequest): string {
  return JSON.stringify({ type: 'reveal', companyId, cardId, cardReference });
}

const page = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  expiresAt: z.iso.datetime({ offset: true }),
});

/** A page over plain HTTP is accepted only on the issuer's own machine, for tests. */
export function readRevealResponse({ status, body }: HttpResponse, now: Date): RevealResponse {
  if (status !== 200) return { failure: `the issuer responded with HTTP ${status}` };
  const parsed = page.safeParse(parseJson(body));
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the body');
    return { failure: `the issuer's response is invalid: see ${[...new Set(fields)].join(', ')}` };
  }
  const { protocol, hostname, username, password } = new URL(parsed.data.url);
  const isEncrypted = protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (!isEncrypted || username !== '' || password !== '') {
    return { failure: "the issuer's page has an address that is not https, or with a user name" };
  }
  const expiresAt = new Date(parsed.data.expiresAt);
  const seconds = (expiresAt.getTime() - now.getTime()) / 1_000;
  if (seconds < -toleranceSeconds || seconds > maxSeconds + toleranceSeconds) {
    return { failure: `the issuer's page is not valid for up to ${maxSeconds} seconds` };
  }
  return { page: { url: parsed.data.url, expiresAt: expiresAt.toISOString() } };
}
