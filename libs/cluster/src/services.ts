import { join } from 'node:path';
import { loopback } from './free-port';
import { probeHealth } from './probe';
import type { Program } from './program';

export const serviceNames = [
  'gateway',
  'ledger',
  'operations',
  'invoicing',
  'tron-watcher',
  'webhook-dispatcher',
  'projector',
] as const;

export type ServiceName = (typeof serviceNames)[number];

/** Everything that the services are told. */
export interface ServiceSetting {
  readonly dataDirectory: string;
  readonly replicas: Partial<Record<ServiceName, number>>;
  readonly env: Readonly<Record<string, string>>;
  readonly fileOf: (service: ServiceName) => string;
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly kafkaBrokers: string;
  readonly databaseUrl: string;
  readonly eventStore: 'postgres' | 'eventstoredb';
  readonly eventStoreUrl?: string;
}

/** So long a gateway goes on serving after the front has stopped sending it connections. */
const gatewayNoticeSeconds = 1;
const defaultShutdownSeconds = 30;
/** Beyond the time after which a service ends itself. */
const graceMs = 5_000;

/** How many copies of each service there are to be; a watcher without a chain to watch is left out by itself. */
export function countReplicas(
  wanted: Partial<Record<ServiceName, number>>,
  env: Readonly<Record<string, string>>,
): ReadonlyMap<ServiceName, number> {
  const hasChain = Boolean(env['TRON_NODE_URL']);
  if (!hasChain && wanted['tron-watcher']) throw new Error('tron-watcher has nothing to watch: set TRON_NODE_URL.');
  if (wanted.gateway === 0) throw new Error('Without a gateway there is no API: gateway has to be 1 or more.');
  const usual = (service: ServiceName): number => (service === 'tron-watcher' && !hasChain ? 0 : 1);
  return new Map(serviceNames.map((service) => [service, wanted[service] ?? usual(service)]));
}

export function planServices(setting: ServiceSetting): Program[] {
  const counts = countReplicas(setting.replicas, setting.env);
  return [...counts].flatMap(([service, count]) =>
    Array.from({ length: count }, (_, index) => planReplica(service, index + 1, setting)),
  );
}

function planReplica(service: ServiceName, number: number, setting: ServiceSetting): Program {
  const seconds = Number(setting.env['SHUTDOWN_TIMEOUT_SECONDS'] || defaultShutdownSeconds);
  const env = { ...setting.env, ...sharedEnv(setting), ...ownEnv(service, number, setting) };
  return {
    name: `${service}-${number}`,
    service,
    file: setting.fileOf(service),
    // The folder stands on the command line as well, where it tells this process from those of other clusters.
    arguments: () => [`FLORIN_DATA_DIR=${env.FLORIN_DATA_DIR}`],
    env: (port) => ({ ...env, PORT: String(port) }),
    probe: probeHealth,
    patienceMs: (Number(env.SHUTDOWN_NOTICE_SECONDS) + seconds) * 1_000 + graceMs,
  };
}

function sharedEnv(setting: ServiceSetting): Record<string, string> {
  return {
    HOST: loopback,
    FLORIN_BASE_URL: setting.env['FLORIN_BASE_URL'] || setting.baseUrl,
    FLORIN_OPERATOR_TOKEN: setting.operatorToken,
    COMMAND_BUS: 'kafka',
    KAFKA_BROKERS: setting.kafkaBrokers,
    DATABASE_URL: setting.databaseUrl,
    EVENT_STORE: setting.eventStore,
    ...(setting.eventStoreUrl !== undefined && { EVENTSTORE_URL: setting.eventStoreUrl }),
  };
}

/** One gateway writes the demo data and credentials.json; the others have folders of their own, so as not to undo that. */
function ownEnv(service: ServiceName, number: number, { dataDirectory, env }: ServiceSetting) {
  const isFirstGateway = service === 'gateway' && number === 1;
  return {
    SHUTDOWN_NOTICE_SECONDS: env['SHUTDOWN_NOTICE_SECONDS'] || String(service === 'gateway' ? gatewayNoticeSeconds : 0),
    FLORIN_SEED: isFirstGateway ? env['FLORIN_SEED'] || 'demo' : 'none',
    FLORIN_DATA_DIR:
      service !== 'gateway' || number === 1 ? dataDirectory : join(dataDirectory, `${service}-${number}`),
  };
}
