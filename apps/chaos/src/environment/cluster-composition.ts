import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Cluster, type ServiceName } from '@florin/dev-platform';
import type { ChaosBroker } from './chaos-broker';
import { type Composition, type CompositionOptions, problemsAt } from './composition';

export interface ClusterCompositionOptions extends CompositionOptions {
  readonly broker: Pick<ChaosBroker, 'address' | 'connectionOf'>;
}

const replicasByDefault = { gateway: 2, ledger: 2, operations: 2, projector: 2 };

/** Every service as separate processes, connected by the broker. */
export async function startCluster(options: ClusterCompositionOptions): Promise<Composition> {
  const { dataDirectory, databaseUrlFor, broker, env, eventStoreUrl, replicas, onLine } = options;
  const operatorToken = randomBytes(24).toString('hex');
  const cluster = await Cluster.start({
    dataDirectory: join(dataDirectory, 'cluster'),
    replicas: { ...replicasByDefault, ...replicas },
    env: { ...env, FLORIN_OPERATOR_TOKEN: operatorToken },
    ...{ databaseUrl: databaseUrlFor, kafkaBrokers: broker.address, onLine },
    ...(eventStoreUrl !== undefined && { eventStore: 'eventstoredb' as const, eventStoreUrl }),
    kafkaConnectionOf: (service) => broker.connectionOf(service),
    onState: (service, state) => onLine(service, `(is ${state})`),
  });
  const services: readonly ServiceName[] = [...new Set(cluster.services.map(({ service }) => service as ServiceName))];
  return {
    ...{ baseUrls: [cluster.baseUrl], operatorToken, processes: cluster.services, services },
    rollingRestart: (service) => cluster.rollingRestart(service as ServiceName),
    problems: async () =>
      (await Promise.all(cluster.services.map(({ name, url }) => problemsAt(name, url ?? 'http://nowhere')))).flat(),
    stop: () => cluster.stop(),
  };
}
