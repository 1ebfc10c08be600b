/** Replaces NUL and lone surrogates, which events can contain and Postgres text cannot, so they do not stop a projection. */
export function storableText(text: string): string {
  // Fast path for nearly all texts. The slow path keeps valid surrogate pairs.
  if (!/[\0\ud800-\udfff]/.test(text)) return text;
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'string' ? storableText(member) : member));
}
