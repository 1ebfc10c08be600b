const algorithm = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

/** The key that a secret is, including `whsec_`. */
export function keyOf(secret: string, use: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [use]);
}

/** The bytes that are signed: `t`, a period and the body. */
export function signedBytes(time: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${time}.`);
  const rest = typeof body === 'string' ? encoder.encode(body) : body;
  const bytes = new Uint8Array(head.length + rest.length);
  bytes.set(head);
  bytes.set(rest, head.length);
  return bytes;
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length / 2);
  return bytes.map((_, index) => parseInt(digits.slice(index * 2, index * 2 + 2), 16));
}
