export type ContentEncoding = 'br' | 'gzip' | 'identity';

/** The best of the available encodings that an `Accept-Encoding` header allows. Without the header, none is applied. */
export function acceptedEncoding(header: string | undefined): ContentEncoding {
  const allowed = new Map<string, boolean>();
  for (const part of (header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (!allowed.has(name)) allowed.set(name, weight === undefined || Number(weight.slice(2)) > 0);
  }
  const isAllowed = (name: string): boolean => allowed.get(name) ?? allowed.get('*') ?? false;
  if (isAllowed('br')) return 'br';
  return isAllowed('gzip') ? 'gzip' : 'identity';
}
