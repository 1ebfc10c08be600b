import type { DatabaseRole, EventStoreKind } from '@florin/database';
import type { ServiceState } from './service-process';
import type { ServiceName } from './services';

export interface ClusterOptions {
  readonly dataDirectory: string;
  /** The port of the API; 0 or absent: a free port. */
  readonly port?: number;
  /** One replica of each service when absent; 0 leaves a service out. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  readonly eventStore?: EventStoreKind;
  /** The environment of every service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Servers to use. The cluster starts those that are absent. */
  readonly kafkaBrokers?: string;
  /** The variables by which each service connects to those brokers. */
  readonly kafkaConnectionOf?: (service: string) => Record<string, string>;
  /** One address for all services, or one per role. The owner of the roles has migrated the database then. */
  readonly databaseUrl?: string | ((role: DatabaseRole) => string);
  /** For the migrations of that database; the services do not get it. */
  readonly databaseOwnerUrl?: string;
  readonly eventStoreUrl?: string;
  /** Called with every line that a service or backing service prints. */
  readonly onLine?: (service: string, line: string) => void;
  readonly onState?: (service: string, state: ServiceState) => void;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
  /** Programs to run instead of the services. */
  readonly fileOf?: (service: ServiceName) => string;
}
