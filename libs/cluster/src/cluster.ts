import { join } from 'node:path';
import type { ClusterOptions } from './cluster-options';
import { provideDataDirectory } from './data-directory';
import { Engines, type RunningEngine } from './engines/engines';
import { markEventStore } from './event-store-mark';
import { loopback } from './free-port';
import { operatorTokenFor } from './operator-token';
import { ProcessRecord } from './process-record';
import { type ServiceListener, ServiceProcess } from './service-process';
import { countReplicas, planServices, type ServiceName } from './services';
import { TcpFront } from './tcp-front';

const startTimeoutMs = 180_000;
const repository = join(__dirname, '../../..');

/** Every service as a process of its own, what they stand on, and one address in front of the gateways. */
export class Cluster {
  services: readonly ServiceProcess[] = [];
  private front!: TcpFront;
  private engineRoom: Engines | undefined;
  private isOpen = false;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly options: ClusterOptions,
    private readonly listener: ServiceListener,
    private readonly record: ProcessRecord,
  ) {}

  /** Resolves when everything is ready. */
  static async start(given: ClusterOptions): Promise<Cluster> {
    const { onLine = () => undefined, onState = () => undefined, replicas = {}, env = {} } = given;
    countReplicas(replicas, env);
    const options = { ...given, dataDirectory: provideDataDirectory(given.dataDirectory) };
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
    return this.front.url;
  }

  /** What the cluster has started besides its services; somebody else's servers are not among them. */
  get engines(): readonly RunningEngine[] {
    return this.engineRoom?.all ?? [];
  }

  /** One copy after the other. A service of a single copy gets its successor first, so that no request is dropped. */
  async rollingRestart(service: ServiceName): Promise<void> {
    const copies = this.copiesOf(service);
    const [only, ...others] = copies;
    if (!only) throw new Error(`No ${service} runs in this cluster.`);
    if (others.length === 0) return only.replace();
    for (const copy of copies) {
      await copy.stop();
      await copy.start();
    }
  }

  /** Gateways first, then the rest, then what they stood on. */
  stop(): Promise<void> {
    return (this.stopping ??= this.shutDown());
  }

  private async open(): Promise<void> {
    const { options } = this;
    const { dataDirectory, env = {}, port = 0, eventStore = 'postgres', databaseUrl, signal } = options;
    this.front = await TcpFront.listen(env['HOST'] || loopback, port, () => this.openPorts());
    if (databaseUrl === undefined) markEventStore(dataDirectory, eventStore);
    this.engineRoom = await Engines.prepare(options, this.listener, this.record);
    await unlessAborted(this.engineRoom.start(), signal);
    const { kafkaBrokers, eventStoreUrl } = this.engineRoom;
    const programs = planServices({
      ...{ dataDirectory, env, eventStore, kafkaBrokers, replicas: options.replicas ?? {} },
      ...(eventStoreUrl !== undefined && { eventStoreUrl }),
      fileOf: options.fileOf ?? mainOf,
      baseUrl: this.front.url,
      operatorToken: operatorTokenFor(dataDirectory, env),
      databaseUrl: this.engineRoom.databaseUrl(),
    });
    this.services = programs.map((program) => new ServiceProcess(program, this.listener, this.record));
    const ready = Promise.all(this.services.map((service) => service.start()));
    await unlessAborted(this.inTime(ready), signal);
    this.isOpen = true;
  }

  /** Before everything is ready the address leads nowhere, so that whoever waits for it waits for the whole cluster. */
  private openPorts(): readonly number[] {
    if (!this.isOpen) return [];
    const portsIn = (state: string): number[] =>
      this.copiesOf('gateway').flatMap((gateway) => (gateway.state === state ? [gateway.port ?? []].flat() : []));
    const ready = portsIn('ready');
    // One that cannot serve right now at least says why.
    return ready.length > 0 ? ready : portsIn('unready');
  }

  private copiesOf(service: ServiceName): ServiceProcess[] {
    return this.services.filter((copy) => copy.service === service);
  }

  private async inTime(ready: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(this.whoIsMissing())), startTimeoutMs);
    });
    await Promise.race([ready, late]).finally(() => clearTimeout(timer));
  }

  private whoIsMissing(): string {
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
    this.front?.stopListening();
    await stopAll(this.copiesOf('gateway'));
    await stopAll(this.services.filter(({ service }) => service !== 'gateway'));
    this.front?.close();
    for (const engine of this.engines) await stopAll([engine]);
    this.record.close();
    if (problems.length > 0) throw new Error(`The cluster did not stop in order: ${problems.join('; ')}`);
  }
}

function mainOf(service: ServiceName): string {
  return join(repository, 'apps', service, 'dist/main.js');
}

async function unlessAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(signal?.reason as Error);
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
  });
  await Promise.race([work, aborted]);
}
