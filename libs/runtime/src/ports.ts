import { createAdditionalServer } from '@florin/http-api';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config';
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

/** Listens on an additional port for an application that listens already. */
export async function listenOn(app: NestFastifyApplication, name: PortName, config: Config): Promise<Server> {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const server = createAdditionalServer((request, response) => {
    receivedAt.set(request, name);
    fastify.routing(request, response);
  });
  const listen = async (): Promise<void> => {
    server.listen(config[name], config.HOST);
    await once(server, 'listening');
  };
  await explainListenErrors(config, listen, name);
  return server;
}

/** The address of a server on this machine. */
export function urlOf(server: Server, { HOST }: Pick<Config, 'HOST'>): string {
  const { port } = server.address() as AddressInfo;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
