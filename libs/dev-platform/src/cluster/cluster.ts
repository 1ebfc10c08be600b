import { createPrivateFile, provideVaultKeyFile, writeEventStoreMark } from '@florin/database';
import { openSigningKeyFile } from '@florin/event-sourcing';
import { untilAborted } from '@florin/kernel';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { loopback } from '../network/free-port';
import { type Endpoint, TcpProxy } from '../network/tcp-proxy';
import { busKeysFor } from './bus-keys';
import { BackingServices, type RunningBackingService } from './backing-services';
import type { ClusterOptions } from './cluster-options';
import { requireMarkedEventStore } from './event-store-mark';
import { operatorTokenFor } from './operator-token';
import { ProcessRecord } from './process-record';
import { type ServiceListener, ServiceProcess } from './service-process';
import { countReplicas, planServices, type ServiceName } from './services';

const startTimeoutMs = 180_000;
const repository = join(__dirname, '../../../..');

/** Every service as a separate process, their backing services, and a TCP proxy in front of the gateways. */
export class Cluster {
  services: readonly ServiceProcess[] = [];
  private proxy!: TcpProxy;
  private backing: BackingServices | undefined;
  private isOpen = false;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly options: ClusterOptions,
    private readonly listener: ServiceListener,
    private readonly record: ProcessRecord,
  ) {}

  /** Resolves when everything is ready. */
  static async start(requested: ClusterOptions): Promise<Cluster> {
    const { onLine = () => undefined, onState = () => undefined, replicas = {}, env = {} } = requested;
    countReplicas(replicas, env);
    const options = { ...requested, dataDirectory: provideDataDirectory(requested.dataDirectory) };
    const record = await ProcessRecord.open(options.dataDirectory, (line) => onLine('cluster', line));
    const cluster = new Cluster(options, { onLine, onState }, record);
    try {
      await cluster.open();
      return cluster;
    } catch (error) {
      await cluster.stop().catch((problem: Error) => onLine('cluster', problem.message));
      throw error;
    }
  }

  get baseUrl(): string {
    return urlOf(this.options.env?.['HOST'] || loopback, this.proxy.port);
  }

  get kafkaBrokers(): string {
    return this.backing!.kafkaBrokers;
  }

  /** The backing services that this cluster has started; external servers are not included. */
  get backingServices(): readonly RunningBackingService[] {
    return this.backing?.all ?? [];
  }

  /** Restarts one replica after the other. A single replica is replaced only when its successor is ready. */
  async rollingRestart(service: ServiceName): Promise<void> {
    const replicas = this.replicasOf(service);
    const [only, ...others] = replicas;
    if (!only) throw new Error(`No ${service} runs in this cluster.`);
    if (others.length === 0) return only.replace();
    for (const replica of replicas) {
      await replica.stop();
      await replica.start();
    }
  }

  /** Stops the gateways, then the other services, then the backing services. */
  stop(): Promise<void> {
    return (this.stopping ??= this.shutDown());
  }

  private async open(): Promise<void> {
    const { options } = this;
    const { dataDirectory, env = {}, port = 0, eventStore = 'postgres', databaseUrl } = options;
    const { signal = new AbortController().signal } = options;
    const listen = { host: env['HOST'] || loopback, port };
    this.proxy = await TcpProxy.start({ listen, upstreams: () => this.gateways() });
    this.backing = await BackingServices.prepare(options, this.listener, this.record);
    if (databaseUrl === undefined) requireMarkedEventStore(dataDirectory, eventStore);
    await untilAborted(this.backing.start(), signal);
    const { kafkaBrokers, kafkaConnectionOf, eventStoreUrl } = this.backing;
    const programs = planServices({
      ...{ dataDirectory, env, eventStore, kafkaBrokers, kafkaConnectionOf, replicas: options.replicas ?? {} },
      ...(eventStoreUrl !== undefined && { eventStoreUrl }),
      fileOf: options.fileOf ?? mainOf,
      baseUrl: this.baseUrl,
      operatorToken: operatorTokenFor(dataDirectory, env),
      busKeys: busKeysFor(dataDirectory, env),
      // The same key as that of `npm start` on this folder.
      vaultKeyFile: provideVaultKeyFile(dataDirectory),
      databaseUrlFor: this.backing.databaseUrlFor,
      // The file of an embedded installation, so that both can use the folder.
      logSigningKey:
        env['LOG_SIGNING_KEY'] || openSigningKeyFile(join(dataDirectory, 'log-signing-key.pem'), createPrivateFile).pem,
    });
    this.services = programs.map((program) => new ServiceProcess(program, this.listener, this.record));
    const ready = Promise.all(this.services.map((service) => service.start()));
    await untilAborted(this.withinStartTimeout(ready), signal);
    // The services have found that it is the event store of the database in the folder.
    if (databaseUrl === undefined) writeEventStoreMark(dataDirectory, eventStore);
    this.isOpen = true;
  }

  /** Empty before everything is ready: a client that can connect finds a complete cluster. */
  private gateways(): readonly Endpoint[] {
    if (!this.isOpen) return [];
    const inState = (state: string): Endpoint[] =>
      this.replicasOf('gateway').flatMap((gateway) =>
        gateway.state === state && gateway.port !== undefined ? [{ port: gateway.port }] : [],
      );
    const ready = inState('ready');
    // An unready gateway at least responds with the reason.
    return ready.length > 0 ? ready : inState('unready');
  }

  private replicasOf(service: ServiceName): ServiceProcess[] {
    return this.services.filter((replica) => replica.service === service);
  }

  private async withinStartTimeout(ready: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(this.describeUnready())), startTimeoutMs);
    });
    await Promise.race([ready, timeout]).finally(() => clearTimeout(timer));
  }

  private describeUnready(): string {
    const missing = this.services.filter(({ state }) => state !== 'ready');
    const reasons = missing.map(({ name, reason }) => `  ${name}: ${reason}`);
    return `Not ready after ${startTimeoutMs / 1_000} s:\n${reasons.join('\n')}`;
  }

  private async shutDown(): Promise<void> {
    const problems: string[] = [];
    const stopAll = async (stoppable: readonly { stop(): Promise<void> }[]): Promise<void> => {
      const outcomes = await Promise.allSettled(stoppable.map((one) => one.stop()));
      problems.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : [])));
    };
    this.proxy?.stopListening();
    await stopAll(this.replicasOf('gateway'));
    await stopAll(this.services.filter(({ service }) => service !== 'gateway'));
    await this.proxy?.close();
    for (const backingService of this.backingServices) await stopAll([backingService]);
    this.record.close();
    if (problems.length > 0) throw new Error(`The cluster did not stop cleanly: ${problems.join('; ')}`);
  }
}

/** Accessible to its owner only. Started by root, the database server runs as another user, who must be able to enter. */
function provideDataDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  return realpathSync(path);
}

function mainOf(service: ServiceName): string {
  return join(repository, 'apps', service, 'dist/main.js');
}

function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? loopback : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
