export const excerptBytes = 1024;

/** The beginning of an answer as text that a database can keep: no zero bytes, and no half character at its end. */
export function excerptOf(chunks: readonly Buffer[]): string {
  const text = beginning(Buffer.concat(chunks)).replaceAll('\0', '');
  // What is no UTF-8 grows when it is replaced.
  return Buffer.byteLength(text) <= excerptBytes ? text : beginning(Buffer.from(text));
}

function beginning(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, excerptBytes), { stream: true });
}
