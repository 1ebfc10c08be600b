export const excerptBytes = 1024;

/** The beginning of a response as text that Postgres can store: no zero bytes, and no partial character at its end. */
export function excerptOf(chunks: readonly Buffer[]): string {
  const text = beginning(Buffer.concat(chunks)).replaceAll('\0', '');
  // Replacement characters are longer than the invalid bytes.
  return Buffer.byteLength(text) <= excerptBytes ? text : beginning(Buffer.from(text));
}

function beginning(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, excerptBytes), { stream: true });
}
