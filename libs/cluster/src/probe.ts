import { get } from 'node:http';
import { connect } from 'node:net';
import { loopback } from './free-port';

/** What a look at a process shows: ready, or why not; silent is one that does not even answer. */
export type Condition =
  { readonly ready: true } | { readonly ready: false; readonly isSilent: boolean; readonly reason: string };

export type Probe = (port: number) => Promise<Condition>;

/** Longer than a service gives each of its own checks. */
const timeoutMs = 3_000;

/** Asks a service for its readiness, without a connection that stays: it would be one more to close when it drains. */
export const probeHealth: Probe = (port) =>
  new Promise((resolve) => {
    const silent = (error: Error): void => resolve({ ready: false, isSilent: true, reason: error.message });
    const options = { host: loopback, port, path: '/health/ready', agent: false, timeout: timeoutMs };
    const request = get(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', silent);
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ ready: true });
        else resolve({ ready: false, isSilent: false, reason: reasonsIn(text) });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on('error', silent);
  });

/** Ready is whoever takes connections. */
export const probeConnection: Probe = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: loopback, port, timeout: timeoutMs });
    const settle = (condition: Condition): void => {
      socket.destroy();
      resolve(condition);
    };
    const silent = (reason: string): void => settle({ ready: false, isSilent: true, reason });
    socket.on('connect', () => settle({ ready: true }));
    socket.on('timeout', () => silent(`no connection within ${timeoutMs} ms`));
    socket.on('error', (error) => silent(error.message));
  });

function reasonsIn(body: string): string {
  try {
    const { checks } = JSON.parse(body) as { checks: Record<string, { ok: boolean; reason?: string }> };
    const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
    return failing.map(([name, { reason }]) => `${name}: ${reason ?? 'not ok'}`).join('; ') || 'not ready';
  } catch {
    return body.slice(0, 200) || 'not ready';
  }
}
