import type { EventStoreKind } from '@florin/database';
import type { ServiceState } from './service-process';
import type { ServiceName } from './services';

export interface ClusterOptions {
  readonly dataDirectory: string;
  /** Where the gateways are reached; 0 or absent: a free port. */
  readonly port?: number;
  /** One of each where absent; 0 leaves a service out. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  readonly eventStore?: EventStoreKind;
  /** For every service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Somebody else's; what is absent is started here. */
  readonly kafkaBrokers?: string;
  readonly databaseUrl?: string;
  readonly eventStoreUrl?: string;
  /** Every line that a service or engine prints. */
  readonly onLine?: (service: string, line: string) => void;
  readonly onState?: (service: string, state: ServiceState) => void;
  /** Gives a start up that is under way. */
  readonly signal?: AbortSignal;
  /** Other programs in the place of the services. */
  readonly fileOf?: (service: ServiceName) => string;
}
