export interface ParsedUrl {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** Whether one DNS name has the addresses of all nodes. */
  readonly isDiscovered: boolean;
  readonly user: { readonly name: string; readonly password: string } | undefined;
  readonly isSecure: boolean;
  readonly verifiesCertificate: boolean;
  /** The file with the certificate of a private authority. */
  readonly authorityFile: string | undefined;
}

const defaultPort = 2113;

/** The parts of a connection string, which the vendor's client does not expose. */
export function parseUrl(connectionString: string): ParsedUrl {
  const [, scheme = '', authority = '', query = ''] =
    /^([^:]+):\/\/([^/?]*)\/?(?:\?(.*))?$/.exec(connectionString) ?? [];
  const at = authority.lastIndexOf('@');
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value] as const));
  const isOff = (name: string): boolean => options.get(name)?.toLowerCase() === 'false';
  return {
    nodes: authority
      .slice(at + 1)
      .split(',')
      .map(parseNode),
    isDiscovered: scheme.endsWith('+discover'),
    user: at < 0 ? undefined : parseUser(authority.slice(0, at)),
    isSecure: !isOff('tls'),
    verifiesCertificate: !isOff('tlsverifycert'),
    authorityFile: options.get('tlscafile'),
  };
}

function parseNode(text: string): { host: string; port: number } {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) };
}

function parseUser(text: string): { name: string; password: string } {
  const [name = '', ...password] = text.split(':');
  return { name: decodeURIComponent(name), password: decodeURIComponent(password.join(':')) };
}
