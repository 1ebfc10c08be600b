import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import { type ParsedUrl, parseUrl } from './parse-url';

/** The first release that reports the positions of events in a read of one stream. */
const minVersion = [22, 6];

const timeoutMs = 2_000;

/**
 * What is wrong with the server of a connection string, in one line with the remedy. Undefined if nothing is, or if no server
 * responds: it may be starting. The vendor's client reports most of these problems like an outage.
 */
export async function findServerProblem(connectionString: string): Promise<string | undefined> {
  const url = parseUrl(connectionString);
  const ca = readAuthority(url);
  if (typeof ca === 'object' && 'problem' in ca) return ca.problem;
  const problems = await Promise.all(url.nodes.map((node) => problemOf({ ...url, node, ca })));
  // A node that is right, or that may be starting, is enough.
  return problems.includes(undefined) ? undefined : problems[0];
}

type Node = ParsedUrl & {
  readonly node: { readonly host: string; readonly port: number };
  readonly ca: string | undefined;
};

interface ServerInfo {
  readonly status: number;
  readonly body: string;
}

async function problemOf(node: Node): Promise<string | undefined> {
  const name = `${node.node.host}:${node.node.port}`;
  try {
    return problemIn(await readInfo(node), node, name);
  } catch (error) {
    return explain(error as NodeJS.ErrnoException, node, name);
  }
}

function problemIn(
  { status, body }: ServerInfo,
  { user, nodes, isDiscovered }: Node,
  name: string,
): string | undefined {
  if (status === 401) {
    return user === undefined
      ? `The server ${name} of EVENTSTORE_URL requires a user. Add it, as in esdb://user:password@${name}.`
      : `The server ${name} rejects the user ${user.name} or its password. Correct them in EVENTSTORE_URL; special characters are percent-encoded.`;
  }
  // A server that is starting or busy, or a proxy in front of it.
  if (status >= 500 || status === 408 || status === 429) return undefined;
  const info = status === 200 ? parseInfo(body) : undefined;
  const version = info?.esVersion ?? info?.dbVersion ?? info?.version;
  if (version === undefined) {
    return `The server ${name} of EVENTSTORE_URL is not an EventStoreDB or KurrentDB. Correct the host and the port.`;
  }
  if (isOlder(version)) {
    return `The server ${name} of EVENTSTORE_URL has the version ${version}. Florin needs EventStoreDB ${minVersion.join('.')} or newer, or KurrentDB: upgrade it.`;
  }
  if (nodes.length === 1 && !isDiscovered && /^(follower|readonlyreplica)$/i.test(info?.state ?? '')) {
    return `EVENTSTORE_URL names only ${name}, which is not the leader of its cluster. Name all nodes, as in esdb://user:password@a:2113,b:2113,c:2113.`;
  }
  return undefined;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < minVersion[0]! || (major === minVersion[0] && minor < minVersion[1]!);
}

function parseInfo(body: string): Record<string, string | undefined> | undefined {
  try {
    return JSON.parse(body) as Record<string, string | undefined>;
  } catch {
    return undefined;
  }
}

async function explain(error: NodeJS.ErrnoException, node: Node, name: string): Promise<string | undefined> {
  const { code = '', message } = error;
  if (code === 'EPROTO' || /wrong version number/.test(message)) {
    return `The server ${name} of EVENTSTORE_URL does not use TLS. Add ?tls=false, or turn on TLS at the server.`;
  }
  if (/CERT|LEAF_SIGNATURE|ISSUER/.test(code)) {
    return `The certificate of the server ${name} is not trusted (${message}). Add tlsCAFile=<certificate of its authority> to EVENTSTORE_URL, and use a host name of the certificate.`;
  }
  if (!node.isSecure && (await usesTls(node))) {
    return `The server ${name} of EVENTSTORE_URL uses TLS. Remove tls=false, and add tlsCAFile for a private certificate authority.`;
  }
  if (code.startsWith('HPE_')) {
    return `The server ${name} of EVENTSTORE_URL is not an EventStoreDB or KurrentDB. Correct the host and the port.`;
  }
  return undefined;
}

/** The document with the version, which needs no permission. A wrong password is rejected nevertheless. */
function readInfo({ node, isSecure, user, ca, verifiesCertificate }: Node): Promise<ServerInfo> {
  const headers =
    user && isSecure
      ? { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` }
      : {};
  const options = { host: node.host, port: node.port, path: '/info', headers, timeout: timeoutMs, agent: false };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage): void => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    };
    const sent = isSecure
      ? httpsRequest({ ...options, ...(ca && { ca }), rejectUnauthorized: verifiesCertificate }, onResponse)
      : httpRequest(options, onResponse);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no response')));
    sent.end();
  });
}

function usesTls({ node }: Node): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: node.host, port: node.port, rejectUnauthorized: false, timeout: timeoutMs });
    const end = (isTls: boolean): void => {
      socket.destroy();
      resolve(isTls);
    };
    socket.on('secureConnect', () => end(true));
    socket.on('error', () => end(false));
    socket.on('timeout', () => end(false));
  });
}

function readAuthority({ authorityFile, isSecure }: ParsedUrl): string | undefined | { readonly problem: string } {
  if (authorityFile === undefined || !isSecure) return undefined;
  try {
    return readFileSync(authorityFile, 'utf8');
  } catch (error) {
    return { problem: `The tlsCAFile of EVENTSTORE_URL cannot be read: ${(error as Error).message}.` };
  }
}
