/** An event can hold a NUL or half a surrogate pair, a Postgres text cannot: one strange name must not stop them all. */
export function storableText(text: string): string {
  // Nearly all texts pass this quick look; whole pairs do not, and are kept by the thorough one.
  if (!/[\0\ud800-\udfff]/.test(text)) return text;
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'string' ? storableText(member) : member));
}
