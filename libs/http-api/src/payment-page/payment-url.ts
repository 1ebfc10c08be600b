import { randomBytes } from 'node:crypto';

const tokenBytes = 24;
const token = /^[\w-]{32}$/;

/** The address of a page that only those can open who know it: 192 random bits, which depend on no id. */
export function newPaymentUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/pay/${randomBytes(tokenBytes).toString('base64url')}`;
}

/** Whether the text can be a token, so that others cost no read. */
export function isPaymentToken(text: string): boolean {
  return token.test(text);
}
