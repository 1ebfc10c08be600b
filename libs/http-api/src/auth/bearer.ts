/** The scheme, one space, and a token of visible characters. */
const bearer = /^Bearer ([\x21-\x7e]{1,512})$/i;

export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}

/** RFC 6750 requires this header on a 401. */
export const challenge = { 'www-authenticate': 'Bearer' } as const;
