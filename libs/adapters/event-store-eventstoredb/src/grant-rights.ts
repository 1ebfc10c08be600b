import { ANY, type EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { readFileSync } from 'node:fs';
import { type ParsedUrl, parseUrl } from './parse-url';
import { createClient } from './renewable-client';

export interface GrantedRights {
  readonly user: string;
  /** What the user may do, in words. */
  readonly rights: readonly string[];
}

const timeoutMs = 10_000;

/**
 * Creates the user of `url` or sets its password, as the administrator of `adminUrl`, and grants it what Florin needs: to read and
 * append to all streams, and to read the whole log. Deleting, truncating and changing rights are left to administrators. It can
 * be repeated.
 */
export async function grantRights(adminUrl: string, url: string): Promise<GrantedRights> {
  const admin = parseUrl(adminUrl);
  const { user, isSecure } = parseUrl(url);
  if (!isSecure || !admin.isSecure)
    throw new Error('A server without TLS has no users. Remove tls=false from both URLs.');
  if (user === undefined)
    throw new Error('EVENTSTORE_URL has no user. Add the one to create, as in esdb://florin:password@host:2113.');
  if (admin.user === undefined)
    throw new Error('EVENTSTORE_ADMIN_URL has no user. Add an administrator of the server.');
  if (user.name === admin.user.name)
    throw new Error('EVENTSTORE_URL has the administrator as its user. Choose another name.');
  await createUser(admin, user);
  const client = createClient(adminUrl);
  try {
    await setDefaultRights(client, user.name);
    const readers = ['$admins', user.name];
    await client.setStreamMetadata('$all', {
      acl: { readRoles: readers, metaReadRoles: ['$admins'], metaWriteRoles: ['$admins'] },
    });
  } finally {
    await client.dispose();
  }
  return { user: user.name, rights: ['read and append to all streams of applications', 'read $all'] };
}

/** The rights on all streams that have no separate ones. The server is for Florin alone. */
async function setDefaultRights(client: EventStoreDBClient, user: string): Promise<void> {
  const users = ['$admins', user];
  const data = {
    $userStreamAcl: { $r: users, $w: users, $d: '$admins', $mr: users, $mw: '$admins' },
    $systemStreamAcl: { $r: '$admins', $w: '$admins', $d: '$admins', $mr: '$admins', $mw: '$admins' },
  };
  await client.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data }), { expectedRevision: ANY });
}

async function createUser(admin: ParsedUrl, user: NonNullable<ParsedUrl['user']>): Promise<void> {
  const { name: loginName, password } = user;
  const path = `/users/${encodeURIComponent(loginName)}`;
  const existing = await send(admin, 'GET', path);
  if (existing.status === 401)
    throw new Error('The server rejects the user of EVENTSTORE_ADMIN_URL, or it is no administrator.');
  const [created] =
    existing.status === 404
      ? [await send(admin, 'POST', '/users/', { loginName, fullName: 'Florin', groups: [], password })]
      : [
          await send(admin, 'POST', `${path}/command/reset-password`, { newPassword: password }),
          // Without groups, so that it is no administrator.
          await send(admin, 'PUT', path, { fullName: 'Florin', groups: [] }),
        ];
  if (created!.status >= 300)
    throw new Error(`The server did not accept the user ${loginName} (status ${created!.status}).`);
}

interface Reply {
  readonly status: number;
}

/** The vendor's client cannot manage users. The leader accepts changes, and another node redirects to it. */
function send(admin: ParsedUrl, method: string, path: string, body?: object): Promise<Reply> {
  const { user, nodes, authorityFile, verifiesCertificate } = admin;
  const [{ host, port }] = nodes as [ParsedUrl['nodes'][number]];
  const ca = authorityFile === undefined ? {} : { ca: readFileSync(authorityFile) };
  const authorization = `Basic ${Buffer.from(`${user!.name}:${user!.password}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const options = {
    host,
    port,
    path,
    method,
    headers,
    timeout: timeoutMs,
    agent: false,
    rejectUnauthorized: verifiesCertificate,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, ...ca }, (response: IncomingMessage) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode! }));
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`The server ${host}:${port} does not respond`)));
    sent.end(body && JSON.stringify(body));
  });
}
