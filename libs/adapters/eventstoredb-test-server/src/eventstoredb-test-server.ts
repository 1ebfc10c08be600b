import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { StreamsService as StreamsDefinition } from '@eventstore/db-client/generated/streams_grpc_pb';
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import { Faults } from './faults';
import { Journal } from './journal';
import { type History, StoredLog } from './stored-log';
import { StreamsService } from './streams-service';
import { TcpFront } from './tcp-front';

export interface TestServerOptions {
  /** Any free port when absent. */
  readonly port?: number;
  /** What an earlier server has handed over. */
  readonly history?: History;
  /** A file that keeps everything, also when the process is killed; it is made where there is none. Not with `history`. */
  readonly journal?: string;
}

/**
 * Speaks the protocol of EventStoreDB and KurrentDB as far as the client of an event store needs it, and fails on demand.
 * It is a stand-in for tests and development: everything has to fit into memory, and it says nothing about how fast or
 * how safe a real server is.
 */
export class EventStoreDbTestServer {
  readonly faults = new Faults();
  private log: StoredLog;
  private server: Server | undefined;
  private coming: Promise<void> | undefined;

  private constructor(
    private readonly front: TcpFront,
    history: History | undefined,
    private readonly journal: Journal | undefined,
  ) {
    this.log = new StoredLog(history, journal);
  }

  /** Takes its address first: of two servers that were started with the same port and journal, only one goes on. */
  static async start({ port = 0, history, journal: file }: TestServerOptions = {}): Promise<EventStoreDbTestServer> {
    if (file !== undefined && history !== undefined)
      throw new Error('A journal has a history of its own; give one only');
    const front = await TcpFront.listen(port);
    try {
      const opened = file === undefined ? { journal: undefined, history } : await Journal.open(file);
      const server = new EventStoreDbTestServer(front, opened.history, opened.journal);
      await server.up();
      return server;
    } catch (error) {
      await front.close();
      throw error;
    }
  }

  get port(): number {
    return this.front.port;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** How many connections clients have to it. */
  get connections(): number {
    return this.front.connections;
  }

  /** As a network does that breaks: every connection is gone, new ones are welcome. */
  dropConnections(): void {
    this.front.cutAll();
  }

  /** Goes away at once, in the middle of whatever is under way. What was stored is safe. */
  down(): void {
    this.front.leadTo(undefined);
    this.front.cutAll();
    this.server?.forceShutdown();
    this.server = undefined;
  }

  /** Comes back at the same address with what had been stored; once, however many ask for it at the same time. */
  async up(): Promise<void> {
    this.coming ??= this.comeUp().finally(() => (this.coming = undefined));
    await this.coming;
  }

  async restart(): Promise<void> {
    this.down();
    await this.up();
  }

  /** Ends for good, and hands over what was stored. */
  async stop(): Promise<History> {
    await this.coming;
    this.down();
    await this.front.close();
    try {
      return await this.log.finish();
    } finally {
      await this.journal?.close();
    }
  }

  private async comeUp(): Promise<void> {
    this.log = new StoredLog(await this.log.finish(), this.journal);
    const server = new Server();
    server.addService(ServerFeaturesService, { getSupportedMethods });
    const dropConnections = (): void => this.dropConnections();
    const service = new StreamsService({ log: this.log, faults: this.faults, dropConnections });
    server.addService(StreamsDefinition, service.implementation);
    this.front.leadTo(await bind(server));
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

/** From this the client learns that it may use the batched append. */
function getSupportedMethods(_call: unknown, answer: sendUnaryData<SupportedMethods>): void {
  const methods = ['append', 'batchappend', 'read'].map((name) =>
    new SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(name),
  );
  answer(null, new SupportedMethods().setEventStoreServerVersion('0.0.0-florin-test').setMethodsList(methods));
}
