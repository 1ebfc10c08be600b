import type { BusKeys } from '@florin/bus-trust';
import { join } from 'node:path';
import { loopback } from '../network/free-port';
import type { Program } from './program';
import { probeHealth } from './readiness-probe';

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

/** The configuration that the services' environment is derived from. */
export interface ServiceSettings {
  readonly dataDirectory: string;
  readonly replicas: Partial<Record<ServiceName, number>>;
  readonly env: Readonly<Record<string, string>>;
  readonly fileOf: (service: ServiceName) => string;
  readonly baseUrl: string;
  readonly operatorToken: string;
  /** Used unless the environment sets VAULT_KEY or VAULT_KEY_FILE. */
  readonly vaultKeyFile: string;
  readonly logSigningKey: string;
  readonly kafkaBrokers: string;
  readonly kafkaConnectionOf: (service: string) => Record<string, string>;
  /** Of all services; each one gets its own. */
  readonly busKeys: BusKeys;
  readonly databaseUrlFor: (service: ServiceName) => string;
  readonly eventStore: 'postgres' | 'eventstoredb';
  readonly eventStoreUrl?: string;
}

/** How long a gateway keeps serving after the TCP proxy has stopped sending it connections. */
const gatewayNoticeSeconds = 1;
const defaultShutdownSeconds = 30;
/** Added to the time after which a service exits by itself. */
const graceMs = 5_000;

/** The number of replicas of each service. tron-watcher defaults to none when no node is configured. */
export function countReplicas(
  requested: Partial<Record<ServiceName, number>>,
  env: Readonly<Record<string, string>>,
): ReadonlyMap<ServiceName, number> {
  const hasChain = Boolean(env['TRON_NODE_URL']);
  if (!hasChain && requested['tron-watcher']) throw new Error('tron-watcher needs a TRON node: set TRON_NODE_URL.');
  if (requested.gateway === 0) throw new Error('The API needs a gateway: gateway must be 1 or more.');
  const byDefault = (service: ServiceName): number => (service === 'tron-watcher' && !hasChain ? 0 : 1);
  return new Map(serviceNames.map((service) => [service, requested[service] ?? byDefault(service)]));
}

export function planServices(settings: ServiceSettings): Program[] {
  const counts = countReplicas(settings.replicas, settings.env);
  return [...counts].flatMap(([service, count]) =>
    Array.from({ length: count }, (_, index) => planReplica(service, index + 1, settings)),
  );
}

function planReplica(service: ServiceName, number: number, settings: ServiceSettings): Program {
  const seconds = Number(settings.env['SHUTDOWN_TIMEOUT_SECONDS'] || defaultShutdownSeconds);
  const env = { ...settings.env, ...sharedEnv(settings), ...ownEnv(service, number, settings) };
  return {
    name: `${service}-${number}`,
    service,
    file: settings.fileOf(service),
    // Also on the command line, so that a process list shows which cluster a process belongs to.
    arguments: () => [`FLORIN_DATA_DIR=${env.FLORIN_DATA_DIR}`],
    env: (port) => ({ ...env, PORT: String(port) }),
    probe: probeHealth,
    stopTimeoutMs: (Number(env.SHUTDOWN_NOTICE_SECONDS) + seconds) * 1_000 + graceMs,
  };
}

function sharedEnv(settings: ServiceSettings): Record<string, string> {
  return {
    HOST: loopback,
    ARCHIVE_DIR: settings.env['ARCHIVE_DIR'] || join(settings.dataDirectory, 'archive'),
    FLORIN_BASE_URL: settings.env['FLORIN_BASE_URL'] || settings.baseUrl,
    COMMAND_BUS: 'kafka',
    KAFKA_BROKERS: settings.kafkaBrokers,
    EVENT_STORE: settings.eventStore,
    ...(settings.eventStoreUrl !== undefined && { EVENTSTORE_URL: settings.eventStoreUrl }),
  };
}

/** Only the first gateway writes the demo data and credentials.json; the others get separate folders. */
function ownEnv(service: ServiceName, number: number, settings: ServiceSettings) {
  const { dataDirectory, env, busKeys, kafkaConnectionOf, databaseUrlFor, logSigningKey, operatorToken } = settings;
  const isFirstGateway = service === 'gateway' && number === 1;
  return {
    BUS_KEYS: String(busKeys.for(service)),
    ...kafkaConnectionOf(service),
    DATABASE_URL: databaseUrlFor(service),
    // Only the launcher migrates. An empty variable counts as unset.
    DATABASE_OWNER_URL: '',
    SHUTDOWN_NOTICE_SECONDS: env['SHUTDOWN_NOTICE_SECONDS'] || String(service === 'gateway' ? gatewayNoticeSeconds : 0),
    // An empty variable counts as unset: only the service that signs the log has the key.
    LOG_SIGNING_KEY: service === 'projector' ? logSigningKey : '',
    FLORIN_OPERATOR_TOKEN: service === 'gateway' ? operatorToken : '',
    ...vaultEnv(service, settings),
    FLORIN_SEED: isFirstGateway ? env['FLORIN_SEED'] || 'demo' : 'none',
    FLORIN_DATA_DIR:
      service !== 'gateway' || number === 1 ? dataDirectory : join(dataDirectory, `${service}-${number}`),
  };
}

/** The services that open personal data or webhook secrets. */
const vaultServices: readonly ServiceName[] = ['gateway', 'operations', 'webhook-dispatcher', 'projector'];

function vaultEnv(service: ServiceName, { env, vaultKeyFile }: ServiceSettings): Record<string, string> {
  if (!vaultServices.includes(service)) return { VAULT_KEY: '', VAULT_KEY_FILE: '' };
  return env['VAULT_KEY'] || env['VAULT_KEY_FILE'] ? {} : { VAULT_KEY_FILE: vaultKeyFile };
}
