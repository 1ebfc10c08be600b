import { get as getPlainly } from 'node:http';
import { get as getSecurely } from 'node:https';
import { loopback } from '../network/free-port';

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

export type ReadinessProbe = (port: number) => Promise<Readiness>;

/** Longer than the timeout of each check inside a service. */
const timeoutMs = 3_000;

/** A service of Florin. */
export const probeHealth: ReadinessProbe = (port) => probe(port, '/health/ready', 200);

export const probeEventStoreDb: ReadinessProbe = (port) => probe(port, '/health/live', 204);

export const probeSecureEventStoreDb: ReadinessProbe = (port) => probe(port, '/health/live', 204, true);

/** Sends a request without keep-alive: a server that shuts down waits for open connections. */
function probe(port: number, path: string, readyStatus: number, isSecure = false): Promise<Readiness> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ ready: false, reason: error.message });
    // A certificate of a server on loopback is checked by its clients.
    const options = { host: loopback, port, path, agent: false, timeout: timeoutMs, rejectUnauthorized: false };
    const get = isSecure ? getSecurely : getPlainly;
    const request = get(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', fail);
      response.on('end', () => {
        if (response.statusCode === readyStatus) resolve({ ready: true });
        else resolve({ ready: false, reason: failedChecks(text) });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no response within ${timeoutMs} ms`)));
    request.on('error', fail);
  });
}

function failedChecks(body: string): string {
  try {
    const { checks } = JSON.parse(body) as { checks: Record<string, { ok: boolean; reason?: string }> };
    const failed = Object.entries(checks).filter(([, { ok }]) => !ok);
    return failed.map(([name, { reason }]) => `${name}: ${reason ?? 'not ok'}`).join('; ') || 'not ready';
  } catch {
    return body.slice(0, 200) || 'not ready';
  }
}
