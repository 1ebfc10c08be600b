export { Cluster } from './cluster';
export type { ClusterOptions } from './cluster-options';
export { freePort } from './free-port';
export type { RunningEngine } from './engines/engines';
export type { EventStoreKind } from '@florin/database';
export { abandonProcesses, endAbandoned } from './process-record';
export { youngGeneration } from './program-run';
export type { ServiceProcess, ServiceState } from './service-process';
export { countReplicas, serviceNames, type ServiceName } from './services';
