import { createHttpServer } from '@florin/http-api';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer, drainConnections } from './close-server';
import type { Config } from './config';
import type { Health } from './health';
import { explainListenErrors, type PortName } from './startup-error';

/** The port that received a request, if it is not the main one. */
const receivedAt = new WeakMap<IncomingMessage, PortName>();

/** The additional ports of a service. Only the API has operator endpoints. */
export function additionalPorts({ OPERATOR_PORT, METRICS_PORT }: Config, api: boolean): readonly PortName[] {
  return [
    ...(api && OPERATOR_PORT !== undefined ? ['OPERATOR_PORT' as const] : []),
    ...(METRICS_PORT !== undefined ? ['METRICS_PORT' as const] : []),
  ];
}

/**
 * Whether a path exists on the port that received a request; undefined if there is only one port. Decided by the path of the route, because
 * several spellings of a path lead to the same route.
 */
export function servedPaths(config: Config): ((request: IncomingMessage, path: string) => boolean) | undefined {
  if (config.OPERATOR_PORT === undefined && config.METRICS_PORT === undefined) return undefined;
  return (request, path) => {
    return path.startsWith('/health/') || portOf(path, config) === (receivedAt.get(request) ?? 'PORT');
  };
}

function portOf(url: string, { OPERATOR_PORT, METRICS_PORT }: Config): PortName {
  if (OPERATOR_PORT !== undefined && url.startsWith('/operator/')) return 'OPERATOR_PORT';
  if (METRICS_PORT !== undefined && url === '/metrics') return 'METRICS_PORT';
  return 'PORT';
}

/**
 * The ports of a process. They are open from the beginning of its start, so that its health can be read while it waits for its
 * backing services. All other requests get 503 until the application serves them.
 */
export class Ports {
  private handle: (name: PortName) => RequestListener;
  private readonly servers = new Map<PortName, Server>();

  private constructor(
    private readonly config: Config,
    health: Health,
  ) {
    this.handle = () => (request, response) => void respondDuringStart(request, response, health);
  }

  static async open(config: Config, names: readonly PortName[], health: Health): Promise<Ports> {
    const ports = new Ports(config, health);
    try {
      for (const name of names) await ports.listen(name);
    } catch (error) {
      await ports.close(0);
      throw error;
    }
    return ports;
  }

  /** Lets the application handle all further requests. */
  serve(application: FastifyInstance): void {
    this.handle = (name) => (request, response) => {
      if (name !== 'PORT') receivedAt.set(request, name);
      application.routing(request, response);
    };
  }

  /** The address on this machine; undefined if the process has no such port. */
  urlOf(name: PortName): string | undefined {
    const server = this.servers.get(name);
    return server && urlOf(server, this.config);
  }

  /** Keeps serving for a while, and asks clients to reconnect elsewhere. */
  async drain(forMs: number): Promise<void> {
    await drainConnections([...this.servers.values()], forMs);
  }

  /** Closes all ports after the requests in progress. */
  async close(timeoutMs: number): Promise<void> {
    const servers = [...this.servers.values()];
    this.servers.clear();
    await Promise.all(servers.map((server) => closeServer(server, timeoutMs)));
  }

  private async listen(name: PortName): Promise<void> {
    const server = createHttpServer((request, response) => this.handle(name)(request, response));
    const listen = async (): Promise<void> => {
      server.listen(this.config[name], this.config.HOST);
      await once(server, 'listening');
    };
    await explainListenErrors(this.config, listen, name);
    this.servers.set(name, server);
  }
}

async function respondDuringStart(request: IncomingMessage, response: ServerResponse, health: Health): Promise<void> {
  const path = request.url?.split('?')[0];
  if (path === '/health/live') return respond(response, 200, { status: 'live' });
  if (path === '/health/ready') {
    const { checks } = await health.readiness();
    return respond(response, 503, { status: 'unavailable', checks });
  }
  const message = 'The service is starting: retry shortly, a POST with the same Idempotency-Key.';
  respond(response, 503, { statusCode: 503, message, code: 'unavailable' });
}

function respond(response: ServerResponse, status: number, body: object): void {
  // The body of the request is not read, so its connection cannot be used again.
  const headers = { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1', connection: 'close' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/** The address of a server on this machine. */
function urlOf(server: Server, { HOST }: Pick<Config, 'HOST'>): string {
  const { port } = server.address() as AddressInfo;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
