/** One scheme, one space, one token of visible characters. Anything else is no credential at all. */
const bearer = /^Bearer ([\x21-\x7e]{1,512})$/i;

export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}

/** What RFC 6750 wants beside a 401. */
export const challenge = { 'www-authenticate': 'Bearer' } as const;
