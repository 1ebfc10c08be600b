/** A path of an API, with encoded values: apiPath`/keys/${keyId}/rotate`. */
export function apiPath(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: texts }, ...values.map(encodeURIComponent));
}
