/** The header is a number of seconds or a date. What is neither, and what has passed, asks for nothing. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return wait > 0 ? wait : undefined;
}
