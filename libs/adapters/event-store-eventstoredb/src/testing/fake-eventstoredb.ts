import { StreamsService as StreamsDefinition } from '@eventstore/db-client/generated/streams_grpc_pb';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { TcpProxy } from '@florin/dev-platform';
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import { Faults } from './faults';
import { StoredLog } from './stored-log';
import { StreamsService } from './streams-service';

/**
 * An EventStoreDB in memory that injects faults which a real server does not have on demand: lost responses, duplicated
 * or paused requests, refusals. It implements only what the adapter uses. The contract also runs on a real server.
 */
export class FakeEventStoreDb {
  readonly faults = new Faults();
  private log = new StoredLog();
  private server: Server | undefined;
  private grpcPort: number | undefined;
  private starting: Promise<void> | undefined;
  private proxy!: TcpProxy;

  private constructor() {}

  static async start(): Promise<FakeEventStoreDb> {
    const fake = new FakeEventStoreDb();
    const upstreams = (): { port: number }[] => (fake.grpcPort === undefined ? [] : [{ port: fake.grpcPort }]);
    fake.proxy = await TcpProxy.start({ listen: { port: 0 }, upstreams });
    await fake.up();
    return fake;
  }

  get port(): number {
    return this.proxy.port;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** How many client connections are open. */
  get connections(): number {
    return this.proxy.connections;
  }

  /** Breaks every connection, like a network failure; accepts new ones. */
  dropConnections(): void {
    this.proxy.cut();
  }

  /** Stops at once, without finishing open calls. Stored events remain. */
  down(): void {
    this.grpcPort = undefined;
    this.proxy.cut();
    this.server?.forceShutdown();
    this.server = undefined;
  }

  /** Restarts at the same address with the stored events, if it is down. Concurrent calls start it once. */
  async up(): Promise<void> {
    if (this.server !== undefined) return;
    this.starting ??= this.bringUp().finally(() => (this.starting = undefined));
    await this.starting;
  }

  async restart(): Promise<void> {
    this.down();
    await this.up();
  }

  async stop(): Promise<void> {
    await this.starting;
    this.down();
    await this.proxy.close();
  }

  private async bringUp(): Promise<void> {
    // Calls that an earlier run has not finished must not store events in this one.
    this.log = new StoredLog(this.log.finish());
    const server = new Server();
    const dropConnections = (): void => this.dropConnections();
    const service = new StreamsService({ log: this.log, faults: this.faults, dropConnections });
    server.addService(StreamsDefinition, service.implementation);
    server.addService(ServerFeaturesService, { getSupportedMethods });
    this.grpcPort = await bind(server);
    this.server = server;
  }
}

/** The client asks for it before its first append. */
function getSupportedMethods(_call: unknown, callback: sendUnaryData<SupportedMethods>): void {
  const batchAppend = new SupportedMethod().setServiceName(streamsName).setMethodName('batchappend');
  callback(null, new SupportedMethods().setEventStoreServerVersion('23.10.6').setMethodsList([batchAppend]));
}

const streamsName = 'event_store.client.streams.streams';

function bind(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}
