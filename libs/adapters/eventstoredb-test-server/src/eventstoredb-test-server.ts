import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { StreamsService as StreamsDefinition } from '@eventstore/db-client/generated/streams_grpc_pb';
import { TcpProxy } from '@florin/dev-platform';
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import { Faults } from './faults';
import { Journal } from './journal';
import { type StoredEvents, StoredLog } from './stored-log';
import { StreamsService } from './streams-service';

export interface TestServerOptions {
  /** A free port when absent. */
  readonly port?: number;
  /** The events of an earlier server. */
  readonly history?: StoredEvents;
  /** A file that persists all events, also when the process is killed. Created if absent. Not with `history`. */
  readonly journal?: string;
}

/**
 * Implements the part of the EventStoreDB and KurrentDB protocol that an event store client needs, and fails on demand.
 * For tests and development only: all events must fit into memory, and its speed and durability do not match a real
 * server.
 */
export class EventStoreDbTestServer {
  readonly faults = new Faults();
  private log: StoredLog;
  private server: Server | undefined;
  private grpcPort: number | undefined;
  private starting: Promise<void> | undefined;

  private constructor(
    private readonly proxy: TcpProxy,
    history: StoredEvents | undefined,
    private readonly journal: Journal | undefined,
  ) {
    this.log = new StoredLog(history, journal);
  }

  /** Listens first: of two servers started with the same port and journal, only one opens the journal. */
  static async start({ port = 0, history, journal: file }: TestServerOptions = {}): Promise<EventStoreDbTestServer> {
    if (file !== undefined && history !== undefined)
      throw new Error('Set either journal or history, not both: a journal contains its history.');
    let server: EventStoreDbTestServer | undefined;
    const upstreams = (): { port: number }[] => (server?.grpcPort === undefined ? [] : [{ port: server.grpcPort }]);
    const proxy = await TcpProxy.start({ listen: { port }, upstreams });
    try {
      const opened = file === undefined ? { journal: undefined, history } : await Journal.open(file);
      server = new EventStoreDbTestServer(proxy, opened.history, opened.journal);
      await server.up();
      return server;
    } catch (error) {
      await proxy.close();
      throw error;
    }
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

  /** Restarts at the same address with the stored events. Concurrent calls start it once. */
  async up(): Promise<void> {
    this.starting ??= this.bringUp().finally(() => (this.starting = undefined));
    await this.starting;
  }

  async restart(): Promise<void> {
    this.down();
    await this.up();
  }

  /** Stops, and returns the stored events. */
  async stop(): Promise<StoredEvents> {
    await this.starting;
    this.down();
    await this.proxy.close();
    try {
      return await this.log.finish();
    } finally {
      await this.journal?.close();
    }
  }

  private async bringUp(): Promise<void> {
    this.log = new StoredLog(await this.log.finish(), this.journal);
    const server = new Server();
    server.addService(ServerFeaturesService, { getSupportedMethods });
    const dropConnections = (): void => this.dropConnections();
    const service = new StreamsService({ log: this.log, faults: this.faults, dropConnections });
    server.addService(StreamsDefinition, service.implementation);
    this.grpcPort = await bind(server);
    this.server = server;
  }
}

function bind(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

/** The client uses the batched append only when it is listed here. */
function getSupportedMethods(_call: unknown, reply: sendUnaryData<SupportedMethods>): void {
  const methods = ['append', 'batchappend', 'read'].map((name) =>
    new SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(name),
  );
  reply(null, new SupportedMethods().setEventStoreServerVersion('0.0.0-florin-test').setMethodsList(methods));
}
