/** An HTTP address whose user and password, if it has them, are sent as Basic authorization. */
export interface HttpAddress {
  /** Without user and password, so it may be printed. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export function parseHttpAddress(address: string): HttpAddress {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, headers: {} };
  url.username = '';
  url.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}
